import Foundation
import Postgres
import SaunterTesting
import Testing

@testable import SaunterStore

@Suite struct MigrationsTests {
    static let names = Migrations.all.map(\.name)

    @Test func `the list equals the folder, in order`() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().appending(
                path: "Sources/SaunterStore/SQL/migrations")
        let files = try FileManager.default.contentsOfDirectory(atPath: root.path)

        #expect(Self.names == files.filter { $0.hasSuffix(".sql") }.map { String($0.dropLast(4)) }.sorted())
    }

    @Test func `an empty database is migrated, and a second call does nothing`()
        async throws
    {
        try await withEmpty { url, _ in
            let first = try await Migrations.apply(to: url, logger: StoreFixture.logger)
            let second = try await Migrations.apply(to: url, logger: StoreFixture.logger)

            #expect(first == Self.names)
            #expect(second == [])
        }
    }

    @Test func `servers that start concurrently on an empty database apply each migration once`() async throws
    {
        try await withEmpty { url, owner in
            let applied = try await withThrowingTaskGroup(of: [String].self) { group in
                for _ in 0..<4 {
                    group.addTask { try await Migrations.apply(to: url, logger: StoreFixture.logger) }
                }
                return try await group.reduce([], +)
            }

            #expect(applied.sorted() == Self.names)
            #expect(try await Self.stored(owner) == Self.names)
        }
    }

    @Test
    func `databases of one PostgreSQL server can be migrated concurrently although they share the roles`()
        async throws
    {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<3 {
                group.addTask {
                    try await withEmpty { url, _ in
                        let applied = try await Migrations.apply(to: url, logger: StoreFixture.logger)
                        #expect(applied == Self.names)
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    @Test func `scores of an earlier version are the same rows in the view`() async throws {
        try await withEmpty { url, owner in
            let earlier = Migrations.all.prefix { $0.name < "m0006" }
            try await Migrations.apply(Array(earlier), to: url, logger: StoreFixture.logger)
            let rows = """
                set session_replication_role = replica;
                insert into research.answer_sheet (enrolment_id, sheet_id, revision, current, questionnaire, version,
                  study_version, consent_version, language, started_at, completed_at, received_at, zone, started_offset_min,
                  completed_offset_min, skew_ms, standing, flags, completes, slots, numbers, cleared, body_sha256)
                select '00000000-0000-0000-0000-00000000000e', sheet::uuid, 1, true, 'q', '1', '1', '1', 'en', now(), now(),
                  now(), 'UTC', 0, 0, 0, 'unscheduled', '{}', false, '{}', '{}', '{}', ''
                from unnest(array['00000000-0000-0000-0000-000000000001', '00000000-0000-0000-0000-000000000002',
                  '00000000-0000-0000-0000-000000000003']) as sheet;
                insert into research.score (enrolment_id, sheet_id, revision, scale, key_version, key_digest,
                  engine_version, value, reason, band, item_count, answered_count, imputed_count, computed_at, exclusion,
                  standard_error, covariates)
                select '00000000-0000-0000-0000-00000000000e', ('00000000-0000-0000-0000-00000000000' || sheet)::uuid, 1,
                  scale, key, 'digest ' || key, '1.0.0', value, reason, band, items, answered, 0,
                  '2026-11-27T00:00:00Z'::timestamptz + hour * interval '1 hour', exclusion, error, covariates
                from (values
                  (1, 'total', '1', 4::float8, null, 'low', 5, 5, 1, null, null::float8, null),
                  (1, 'Mean', '1', null, 'declined', null, 5, 1, 1, null, null, null),
                  (1, 'total', '2', null, 'excluded', null, 5, 5, 3, 'too_young', null, '{"age":7}'),
                  (1, 'Mean', '2', 0.8, null, null, 5, 5, 3, null, 0.25, '{"age":7}'),
                  (1, 'Mean', '0', 0.7, null, null, 5, 5, 2, null, null, null),
                  (2, 'total', '1', 1e308, null, 'high, "quoted"', 5, 4, 1, null, null, null)
                ) as given (sheet, scale, key, value, reason, band, items, answered, hour, exclusion, error, covariates);
                set session_replication_role = default
                """
            try await owner.withConnection { try await $0.execute(script: rows) }
            let statement = Statement(
                name: "scores",
                sql: """
                    select row_to_json(score)::text as text from research.score
                    order by sheet_id, revision, scale collate "C", key_version
                    """)
            func scores() async throws -> [String] {
                try await owner.query(statement).map { try $0.get("text") }
            }
            let before = try await scores()

            try await Migrations.apply(to: url, logger: StoreFixture.logger)

            #expect(before.count == 6)
            #expect(try await scores() == before)
            let unscored = Statement(
                name: "unscored",
                sql: "select count(*) as value from research.answer_sheet where key_id is null")
            #expect(try await owner.query(unscored).one().get("value", as: Int.self) == 1)
        }
    }

    @Test func `a database that was migrated with another text is rejected`() async throws {
        try await StoreFixture.with { fixture in
            try await fixture.run(
                "update public.saunter_migration set digest = 'other' where name = 'm0001_baseline'")

            let error = await #expect(throws: MigrationFault.self) { try await Self.apply(fixture) }
            guard case .altered(name: "m0001_baseline") = error else {
                Issue.record("got \(String(describing: error))")
                return
            }
        }
    }

    @Test func `a database of a newer server is rejected and left unchanged`() async throws {
        try await StoreFixture.with { fixture in
            try await fixture.run(
                "insert into public.saunter_migration (name, digest) values ('m9000_moon', 'x')")

            let error = await #expect(throws: MigrationFault.self) { try await Self.apply(fixture) }
            guard case .newer(names: ["m9000_moon"]) = error else {
                Issue.record("got \(String(describing: error))")
                return
            }
        }
    }

    @Test func `a migration that fails in the middle leaves nothing and is not recorded`() async throws {
        try await withEmpty { url, owner in
            let broken = Migration(
                name: "m9001_broken", script: Array("create table research.half (x int); select 1 / 0;".utf8))

            await #expect(throws: DatabaseError.self) {
                try await Migrations.apply(Migrations.all + [broken], to: url, logger: StoreFixture.logger)
            }

            #expect(try await Self.stored(owner) == Self.names)
            let half = try await owner.query(
                Statement(name: "look", sql: "select to_regclass('research.half')::text as value"))
            #expect(try half.one().getOptional("value", as: String.self) == nil)
            let corrected = Migration(
                name: "m9001_broken", script: Array("create table research.half (x int);".utf8))
            let again = try await Migrations.apply(
                Migrations.all + [corrected], to: url, logger: StoreFixture.logger)
            #expect(again == ["m9001_broken"])
        }
    }

    @Test func `an owner without the right to create roles can migrate if an administrator has created them`()
        async throws
    {
        try await StoreFixture.with { fixture in
            let name = "o\(UInt64.random(in: .min ... .max))"
            try await fixture.run("create role \(name) login")
            try await fixture.run(
                "grant saunter_identity, saunter_research, saunter_clerk, saunter_export to \(name)")
            try await fixture.run("create database \(name) owner \(name)")
            let url = try fixture.url.setting("dbname", to: name)
                .setting("user", to: name)

            #expect(try await Migrations.apply(to: url, logger: StoreFixture.logger) == Self.names)

            let store = Store(url, secrets: StoreFixture.secrets, logger: StoreFixture.logger)
            try await store.ping()
            await store.close()
            try await fixture.run("drop database \(name) with (force)")
            try await fixture.run("drop role \(name)")
        }
    }

    private func withEmpty(_ body: (ConnectionString, Pool) async throws -> Void) async throws {
        let database = try await TestCluster.makeDatabase()
        let url = try ConnectionString(database.connectionString)
        let owner = Pool(connectionString: url, size: 1, logger: StoreFixture.logger)
        do {
            try await body(url, owner)
        } catch {
            await owner.close()
            try await database.drop()
            throw error
        }
        await owner.close()
        try await database.drop()
    }

    private static func apply(_ fixture: StoreFixture) async throws {
        try await Migrations.apply(to: fixture.url, logger: StoreFixture.logger)
    }

    private static func stored(_ pool: Pool) async throws -> [String] {
        try await pool.query(Statements.migrations["list_migrations"]).map { try $0.get("name") }
    }
}
