import Postgres
import SaunterCore
import Testing

@testable import SaunterStore

@Suite struct AuditTests {
    static let changes = [
        "update audit.entry set action = 'nothing'", "delete from audit.entry", "truncate audit.entry",
    ]

    @Test func `an entry contains the actor, the action and the moment`() async throws {
        try await StoreFixture.with { fixture in
            let account = try await fixture.makeAccount()

            try await fixture.store.record(
                AuditEntry(
                    actor: .account(account), action: "logged_in", requestID: "r-1",
                    detail: ["device": "phone"]), at: .start)

            let row = try await fixture.run("select *, detail::text as said from audit.entry").one()
            #expect(try row.get("actor_kind") == "account")
            #expect(try row.id("actor_id") == account)
            #expect(try row.get("action") == "logged_in")
            #expect(try row.get("request_id") == "r-1")
            #expect(try row.instant("recorded_at") == .start)
            #expect(try JSONReader.read(row.get("said", as: String.self)) == ["device": "phone"])
        }
    }

    @Test(arguments: changes)
    func `neither a superuser nor a session in replica mode can change the audit`(change: String) async throws
    {
        try await StoreFixture.with { fixture in
            try await fixture.store.record(StoreFixture.entry("kept"), at: .start)

            await Self.expectRefused(change, fixture.owner)
            await #expect(throws: (any Error).self) {
                try await fixture.owner.write { transaction in
                    try await transaction.run("set local session_replication_role = replica")
                    try await transaction.run(change)
                }
            }

            #expect(try await fixture.values("select action as value from audit.entry") == ["kept"])
        }
    }

    @Test(arguments: changes, RolesTests.readable.map(\.role))
    func `no role of the server can change the audit`(change: String, role: String) async throws {
        try await StoreFixture.with { fixture in
            try await fixture.store.record(StoreFixture.entry("kept"), at: .start)
            let pool = fixture.pool(role)

            await Self.expectRefused(change, pool)

            await pool.close()
            #expect(try await fixture.values("select action as value from audit.entry") == ["kept"])
        }
    }

    @Test(arguments: changes)
    func `the owner of the table without superuser rights cannot change it`(change: String) async throws {
        try await StoreFixture.with { fixture in
            let name = "o\(UInt64.random(in: .min ... .max))"
            try await fixture.run("create role \(name)")
            try await fixture.run("grant usage on schema audit to \(name)")
            try await fixture.run("alter table audit.entry owner to \(name)")
            try await fixture.store.record(StoreFixture.entry("kept"), at: .start)
            let pool = fixture.pool(name)

            await Self.expectRefused(change, pool)

            await pool.close()
            #expect(try await fixture.count("audit.entry") == 1)
            try await fixture.run("alter table audit.entry owner to postgres")
            try await fixture.run("revoke usage on schema audit from \(name)")
            try await fixture.run("drop role \(name)")
        }
    }

    private static func expectRefused(_ change: String, _ pool: Pool) async {
        let error = await #expect(throws: DatabaseError.self) {
            try await pool.query(Statement(name: "try", sql: change))
        }
        #expect(error?.sqlState == .insufficientPrivilege)
    }
}
