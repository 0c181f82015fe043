import Foundation
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
            #expect(try row.get("actor_ref") == StoreFixture.secrets.auditRef(of: account))
            #expect(try row.get("action") == "logged_in")
            #expect(try row.get("request_id") == "r-1")
            #expect(try row.instant("recorded_at") == .start)
            #expect(try JSONReader.read(row.get("said", as: String.self)) == ["device": "phone"])
        }
    }

    @Test func `no entry contains an id of an account, an enrolment or a record, or an arm`() async throws {
        try await StoreFixture.with { fixture in
            let participant = try await fixture.makeFullParticipant(participant: "P-1")
            let (account, enrolment) = (participant.account, participant.enrolment)
            let record = UUID()

            try await fixture.store.record(
                AuditEntry(
                    actor: .account(account), action: "role_granted", enrolment: enrolment.id,
                    account: account, record: record), at: .start)

            let entries = try await fixture.values("select entry::text as value from audit.entry").joined()
            for secret in [
                account.description, enrolment.id.description, record.uuidString.lowercased(), "P-1",
                "control", "experimental",
            ] {
                #expect(!entries.contains(secret), "\(secret)")
            }
            let last = try await fixture.run(
                "select enrolment_ref, detail ->> 'account_ref' as account from audit.entry order by entry_id desc limit 1"
            ).one()
            #expect(try last.get("enrolment_ref") == StoreFixture.secrets.auditRef(of: enrolment.id))
            #expect(try last.get("account") == StoreFixture.secrets.auditRef(of: account))
        }
    }

    @Test func `the digests of an id differ by its kind and by the master key`() {
        let id = UUID()
        let other = StoreSecrets(master: Array(repeating: 8, count: 32))

        let refs = [
            StoreFixture.secrets.auditRef(of: AccountID(id)),
            StoreFixture.secrets.auditRef(of: EnrolmentID(id)),
            StoreFixture.secrets.auditRef(ofRecord: id), other.auditRef(of: AccountID(id)),
        ]

        #expect(Set(refs).count == 4)
        #expect(refs.allSatisfy { $0.count == 32 })
        #expect(refs[0] == StoreFixture.secrets.auditRef(of: AccountID(id)))
    }

    @Test func `an entry of a participant does not lead from the account to the enrolment`() async throws {
        try await StoreFixture.with { fixture in
            let account = try await fixture.makeAccount()
            try await fixture.publish()
            let enrolment = try await fixture.store.enrol(fixture.draft(account), now: .start).enrolment

            let row = try await fixture.run("select * from audit.entry where action = 'enrolled'").one()

            #expect(try row.get("actor_kind") == "participant")
            #expect(try row.getOptional("actor_ref", as: String.self) == nil)
            #expect(try row.get("enrolment_ref") == StoreFixture.secrets.auditRef(of: enrolment.id))
        }
    }

    @Test func `a change of the password or the address writes one entry, other changes write none`()
        async throws
    {
        try await StoreFixture.with { fixture in
            let (store, account) = (fixture.store, try await fixture.makeAccount())
            try await store.insertPasswordReset(
                codeHash: [7], account: account, message: [:], now: .start, expiresAt: .maximum)

            _ = try await store.updateProfile(of: account, now: .start) { $0.name = "Ada L." }
            _ = try await store.updateProfile(of: account, now: .start) { $0.email = "new@example.org" }
            _ = try await store.resetPassword(codeHash: [7], passwordHash: "second", now: .start)
            _ = try await store.resetPassword(codeHash: [7], passwordHash: "third", now: .start)
            _ = try await store.changePassword(
                of: account, verified: "second", passwordHash: "fourth", keeping: UUID(), now: .start)

            let rows = try await fixture.run("select action, actor_ref from audit.entry order by entry_id")
            #expect(
                try rows.map { try $0.get("action", as: String.self) }
                    == ["email_change_requested", "password_reset", "password_changed"])
            for row in rows {
                #expect(try row.get("actor_ref") == StoreFixture.secrets.auditRef(of: account))
            }
            #expect(try await fixture.tables(containing: "new@example.org") == [])
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
