import Postgres
import Testing

@testable import SaunterStore

@Suite struct RolesTests {
    /// The schemas that a role can read.
    static let readable: [(role: String, schemas: Set<String>)] = [
        ("saunter_identity", ["identity", "audit"]), ("saunter_research", ["research"]),
        ("saunter_clerk", ["identity", "research", "audit"]), ("saunter_export", ["research"]),
    ]

    /// Tables of these schemas that the role cannot read.
    static let hidden: [String: Set<String>] = [
        "saunter_identity": ["identity.erasure"],
        "saunter_export": [
            "research.export_job", "research.study_webhook", "research.enrolment_code",
            "research.study_draft", "research.study_draft_end", "research.study_draft_file",
        ],
    ]

    @Test(arguments: readable)
    func `a role reads its schemas and no table of the others`(
        role: String, schemas: Set<String>
    ) async throws {
        try await StoreFixture.with { fixture in
            let pool = fixture.pool(role)
            for table in try await fixture.tables() {
                let schema = String(table.prefix { $0 != "." })
                let hidden = Self.hidden[role]?.contains(table) ?? false
                let isAllowed = try await Self.isAllowed("select count(*) from \(table)", pool)
                #expect(isAllowed == (schemas.contains(schema) && !hidden), "\(role) reads \(table)")
            }
            await pool.close()
        }
    }

    @Test func `the role of datasets cannot write`() async throws {
        try await StoreFixture.with { fixture in
            let pool = fixture.pool("saunter_export")
            for table in try await fixture.tables() where table != "audit.entry" {
                #expect(try await Self.isAllowed("delete from \(table)", pool) == false, "deletes \(table)")
                #expect(
                    try await Self.isAllowed("truncate \(table) cascade", pool) == false, "truncates \(table)"
                )
                let column: String = try await fixture.value(
                    """
                    select quote_ident(attname) as value from pg_attribute
                    where attrelid = '\(table)'::regclass and attnum > 0 order by attnum limit 1
                    """)
                #expect(
                    try await Self.isAllowed("update \(table) set \(column) = \(column)", pool) == false,
                    "updates \(table)")
                #expect(
                    try await Self.isAllowed("insert into \(table) default values", pool) == false,
                    "inserts \(table)")
            }
            await pool.close()
        }
    }

    @Test(arguments: readable.map(\.role))
    func `no role can change the schema`(role: String) async throws {
        try await StoreFixture.with { fixture in
            let pool = fixture.pool(role)
            for statement in Self.changes {
                let isAllowed = try await Self.isAllowed(statement, pool)
                #expect(!isAllowed, "\(statement)")
            }
            await pool.close()
        }
    }

    static let changes = [
        "create table identity.mine (x int)", "create table research.mine (x int)",
        "create table audit.mine (x int)",
        "create table public.mine (x int)", "alter table audit.entry disable trigger all",
        "drop table research.walk",
        "truncate research.walk", "delete from public.saunter_migration",
    ]

    /// Whether the statement is permitted. Errors other than missing privileges are passed on.
    private static func isAllowed(_ sql: String, _ pool: Pool) async throws -> Bool {
        do {
            _ = try await pool.query(Statement(name: "try", sql: sql))
            return true
        } catch SQLState.insufficientPrivilege {
            return false
        }
    }
}
