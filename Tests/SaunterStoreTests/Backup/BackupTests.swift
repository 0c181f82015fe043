import Foundation
import Postgres
import SaunterCore
import SaunterTesting
import Testing

@testable import SaunterStore

@Suite struct BackupTests {
    private static let master = [UInt8](repeating: 7, count: 32)

    @Test func `the restored rows equal the backup in every table`() async throws {
        try await Self.backedUp { fixture, file, copies in
            #expect(copies.count > 20)
            // Every table has rows of this participant, so that no comparison is trivial.
            let filled = Set(copies.filter { $0.rows > 0 }.map(\.name))
            #expect(try await fixture.participantTables().allSatisfy { filled.contains($0) })

            try await Self.withEmpty { url in
                let restored = try await Self.backup(url).restore(from: file, for: .inspection, now: .start)
                #expect(restored.copies == copies)
                try await Self.backup(url).compare(with: copies)
            }
        }
    }

    /// A reader of the first restored database must not get the same numbers for other changes from the second one.
    @Test func `a backup that is restored twice assigns different change numbers`()
        async throws
    {
        try await Self.backedUp { _, file, _ in
            var last: [Int] = []
            for now in [Instant.start, .start.adding(seconds: 60)] {
                try await Self.withEmpty { url in
                    _ = try await Self.backup(url).restore(from: file, for: .service, now: now)
                    let owner = Pool(connectionString: url, size: 1, logger: StoreFixture.logger)
                    let statement = Statement(
                        name: "statement", sql: "select min(last_seq) as last from research.change_counter")
                    last.append(try await owner.query(statement).one().get("last"))
                    await owner.close()
                }
            }
            #expect(last[1] - last[0] == 60_000_000)
            // Numbers that JSON readers represent exactly.
            #expect(last[1] < 1 << 53)
        }
    }

    @Test func `a changed, missing or additional row is detected`() async throws {
        try await Self.backedUp { fixture, _, copies in
            let backup = Self.backup(fixture.url)
            try await backup.compare(with: copies)
            for change in [
                "update research.answer_sheet set score_values[1] = score_values[1] + 1e-9 where key_id is not null",
                "delete from research.answer_text",
                "insert into research.erasure values (gen_random_uuid(), 'x', now())",
            ] {
                try await fixture.run(change)
                await #expect(throws: BackupFault.self) { try await backup.compare(with: copies) }
            }
        }
    }

    @Test
    func `a database restored for service has new numbers, and every change is in the feed again`()
        async throws
    {
        try await Self.backedUp { fixture, file, _ in
            try await Self.withEmpty { url in
                _ = try await Self.backup(url).restore(from: file, for: .service, now: .start)
                let owner = Pool(connectionString: url, size: 1, logger: StoreFixture.logger)
                let statement = Statement(
                    name: "statement",
                    sql: """
                        select (select count(*) from research.change) as changes,
                          (select count(*) from research.change where change_seq is null) as waiting,
                          (select min(last_seq) from research.change_counter) as last,
                          (select count(*) from audit.entry where action = 'restored') as restorations
                        """)
                let row = try await owner.query(statement).one()
                #expect(try row.get("changes", as: Int.self) > 5)
                #expect(try row.get("waiting", as: Int.self) == row.get("changes", as: Int.self))
                #expect(try row.get("last", as: Int.self) > 1_000_000_000)
                #expect(try row.get("restorations", as: Int.self) == 1)
                // The triggers that record changes are enabled again, and the audit is still append-only.
                let triggerStates = Statement(
                    name: "trigger_states",
                    sql: """
                        select count(*) filter (where tgenabled = 'D') as disabled, count(*) filter (where tgenabled = 'A') as always
                        from pg_trigger where not tgisinternal
                        """)
                let triggers = try await owner.query(triggerStates).one()
                #expect(try triggers.get("disabled", as: Int.self) == 0)
                #expect(try triggers.get("always", as: Int.self) == 2)
                await owner.close()
            }
        }
    }

    @Test(arguments: [Backup.Purpose.service, .inspection])
    func `cursors from before a restore belong to another history, regardless of their numbers`(
        _ purpose: Backup.Purpose
    ) async throws {
        try await Self.backedUp { fixture, file, _ in
            let statement = Statement(name: "statement", sql: "select enrolment_id from research.enrolment")
            let id: EnrolmentID = try await fixture.owner.query(statement).one().id("enrolment_id")
            let (first, changes) = try await fixture.store.listOwnChanges(
                of: id, "walks", after: nil, limit: 1000)
            let last = try #require(changes.last?.sequence)
            var histories: Set = [first]
            for _ in 1...2 {
                try await Self.withStore(filledFrom: file, for: purpose) { store, url in
                    func list(_ sequence: Int64, _ history: String) async throws -> (String, [OwnChange]) {
                        try await store.listOwnChanges(
                            of: id, "walks", after: ChangeCursor(sequence: sequence, history: history),
                            limit: 1000)
                    }
                    guard purpose == .service else {
                        let (history, since) = try await list(last, first)
                        #expect(history == first && since.isEmpty)
                        return
                    }
                    for sequence in [0, last, 1_500_000_000] {
                        await #expect(throws: UnknownCursor.self) { try await list(sequence, first) }
                    }
                    let (history, all) = try await store.listOwnChanges(
                        of: id, "walks", after: nil, limit: 1000)
                    #expect(all.count == changes.count)
                    #expect(
                        histories.insert(history).inserted,
                        "each restore of the same backup begins another history")
                    let end = try #require(all.last?.sequence)
                    #expect(try await list(end, history).1.isEmpty)
                    await #expect(throws: UnknownCursor.self) { try await list(end + 1, history) }

                    try await Self.backup(url).recordRecovery(now: .start)
                    await #expect(throws: UnknownCursor.self) { try await list(end, history) }
                    let again = try await store.listOwnChanges(of: id, "walks", after: nil, limit: 1000)
                    #expect(histories.insert(again.history).inserted && again.changes.count == changes.count)
                    #expect(try #require(again.changes.first).sequence > end)
                }
            }
        }
    }

    @Test func `a backup is not restored into a database with rows`() async throws {
        try await Self.backedUp { fixture, file, _ in
            let error = await #expect(throws: BackupFault.self) {
                try await Self.backup(fixture.url).restore(from: file, for: .service, now: .start)
            }
            guard case .notEmpty = error else {
                Issue.record("got \(String(describing: error))")
                return
            }
        }
    }

    @Test func `a backup opens only with its own master key`() async throws {
        try await Self.backedUp { _, file, _ in
            try await Self.withEmpty { url in
                let withOtherKey = Backup(
                    of: url, master: Array(repeating: 8, count: 32), logger: StoreFixture.logger)
                await #expect(throws: BackupFault.wrongKey(path: file)) {
                    try await withOtherKey.restore(from: file, for: .service, now: .start)
                }
            }
        }
    }

    @Test func `a backup with other migrations is rejected, and the fault names them`() async throws {
        try await Self.backedUp(
            preparing: "insert into public.saunter_migration (name, digest) values ('m9000_moon', 'x')"
        ) { _, file, _ in
            try await Self.withEmpty { url in
                await #expect(throws: BackupFault.unknownMigrations(migrations: ["m9000_moon"])) {
                    try await Self.backup(url).restore(from: file, for: .service, now: .start)
                }
            }
        }
    }

    @Test func `nothing of a truncated backup is stored`() async throws {
        try await Self.backedUp { _, file, _ in
            let whole = try Data(contentsOf: URL(filePath: file))
            try await Self.withEmpty { url in
                for share in [0.0, 0.001, 0.2, 0.5, 0.9, 0.9999] {
                    let cut = file + ".cut"
                    try whole.prefix(Int(Double(whole.count) * share)).write(to: URL(filePath: cut))
                    await #expect(throws: BackupFault.self) {
                        try await Self.backup(url).restore(from: cut, for: .service, now: .start)
                    }
                }
                // The database is still empty, so the complete backup can be restored.
                _ = try await Self.backup(url).restore(from: file, for: .service, now: .start)
            }
        }
    }

    @Test func `a backup never replaces another file, and an unfinished one leaves no file`() async throws {
        try await Self.backedUp { fixture, file, _ in
            await #expect(throws: BackupFault.self) {
                try await Self.backup(fixture.url).write(to: file, program: "test", now: .start)
            }
            let nowhere = file + "2"
            await #expect(throws: (any Error).self) {
                try await Self.backup(try fixture.url.setting("dbname", to: "nowhere"))
                    .write(to: nowhere, program: "test", now: .start)
            }
            let left = try FileManager.default.contentsOfDirectory(
                atPath: (file as NSString).deletingLastPathComponent)
            #expect(left == [(file as NSString).lastPathComponent])
        }
    }

    /// A database in which every table has rows of one participant, its backup, and the copied tables.
    private static func backedUp(
        preparing script: String? = nil, _ body: (StoreFixture, String, [TableCopy]) async throws -> Void
    ) async throws {
        try await StoreFixture.with { fixture in
            _ = try await fixture.makeFullParticipant(participant: "p1")
            _ = try await fixture.store.numberChanges(of: "walks")
            if let script { try await fixture.run(script) }
            let folder = try TemporaryDirectory.make()
            defer { try? FileManager.default.removeItem(atPath: folder) }
            let file = folder + "/backup"
            let copies = try await backup(fixture.url).write(to: file, program: "test", now: .start)
            try await body(fixture, file, copies)
        }
    }

    /// A store on a restored database.
    private static func withStore(
        filledFrom file: String, for purpose: Backup.Purpose,
        _ body: (Store, ConnectionString) async throws -> Void
    ) async throws {
        try await withEmpty { url in
            _ = try await backup(url).restore(from: file, for: purpose, now: .start)
            let store = Store(
                url, secrets: StoreFixture.secrets, connections: 2, logger: StoreFixture.logger)
            do {
                try await body(store, url)
            } catch {
                await store.close()
                throw error
            }
            await store.close()
        }
    }

    private static func backup(_ url: ConnectionString) -> Backup {
        Backup(of: url, master: master, logger: StoreFixture.logger)
    }

    private static func withEmpty(_ body: (ConnectionString) async throws -> Void) async throws {
        let database = try await TestCluster.makeDatabase()
        do {
            try await body(try ConnectionString(database.connectionString))
        } catch {
            try await database.drop()
            throw error
        }
        try await database.drop()
    }
}
