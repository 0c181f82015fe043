import Foundation
import Postgres
import SaunterCore
import Testing

@testable import SaunterStore

@Suite struct ExportJobTests {
    private static let start = Instant(milliseconds: 1_795_248_000_000)
    private static let account = AccountID(UUID())

    private static func order(_ study: String = "walks", _ digest: String = "request", tag: String? = "state")
        -> ExportRequest
    {
        ExportRequest(
            id: ExportID(UUID()), study: study, account: account, profile: "coded",
            filters: ["profile": "coded"],
            digest: digest, tag: tag)
    }

    private static func audit(_ action: String = "export_requested") -> AuditEntry {
        AuditEntry(actor: .account(account), action: action, study: "walks")
    }

    private static func file(tag: String? = "state") -> ExportedFile {
        ExportedFile(
            name: "x.zip", bytes: 3, digest: "ab", rows: 7, snapshot: "s", tag: tag, changeSequence: 9)
    }

    @discardableResult
    private static func queue(_ store: Store, _ order: ExportRequest, after seconds: Int = 0) async throws
        -> ExportID
    {
        #expect(try await store.insertExport(order, audit: audit(), now: start.adding(seconds: seconds)))
        return order.id
    }

    private static func claim(_ store: Store, at seconds: Int = 0) async throws -> ExportJob? {
        let now = start.adding(seconds: seconds)
        return try await store.claimExport(.dataset, now: now, leaseUntil: now.adding(seconds: 30))
    }

    @Test func `each study has one running job, the oldest first, in parallel to other studies`() async throws
    {
        try await StoreFixture.with { fixture in
            let store = fixture.store
            let first = try await Self.queue(store, Self.order())
            try await Self.queue(store, Self.order(), after: 1)
            let other = try await Self.queue(store, Self.order("meadow"), after: 2)

            #expect(try await Self.claim(store)?.id == first)
            #expect(try await Self.claim(store)?.id == other)
            #expect(try await Self.claim(store) == nil)
        }
    }

    @Test func `concurrent servers start one job of a study`() async throws {
        try await StoreFixture.with(connections: 8) { fixture in
            for second in 0..<6 { try await Self.queue(fixture.store, Self.order(), after: second) }

            let claimed = try await withThrowingTaskGroup(of: ExportJob?.self) { group in
                for _ in 0..<8 { group.addTask { try await Self.claim(fixture.store) } }
                return try await group.reduce(into: []) { $0 += [$1].compactMap(\.self) }
            }

            #expect(claimed.count == 1)
        }
    }

    @Test
    func
        `a job whose worker died is claimed again after its lease, and the old worker can no longer change it`()
        async throws
    {
        try await StoreFixture.with { fixture in
            let store = fixture.store
            try await Self.queue(store, Self.order())
            let first = try #require(try await Self.claim(store))
            #expect(try await Self.claim(store, at: 29) == nil)
            let second = try #require(try await Self.claim(store, at: 31))

            #expect(second.id == first.id && second.attempt == first.attempt + 1)
            let now = Self.start.adding(seconds: 32)
            #expect(
                try await !store.updateExportProgress(
                    first, progress: 0.5, file: "x", rows: 1, estimated: 2, leaseUntil: now))
            #expect(
                try await !store.finishExport(
                    first, Self.file(), audit: Self.audit("export_made"), now: now))
            try await store.failExport(first, failure: "late", now: now)
            #expect(try await store.findExport(second.id, study: "walks")?.state == .running)
            #expect(
                try await store.updateExportProgress(
                    second, progress: 0.25, file: "data/x.csv", rows: 10, estimated: 40, leaseUntil: now))
            let found = try #require(try await store.findExport(second.id, study: "walks"))
            #expect(found.progress == 0.25 && found.currentFile == "data/x.csv")
            #expect(found.rowsDone == 10 && found.rowsEstimated == 40)
            #expect(
                try await store.finishExport(
                    second, Self.file(), audit: Self.audit("export_made"), now: now))
            let done = try #require(try await store.findExport(second.id, study: "walks"))
            #expect(done.state == .done && done.rowsDone == 7 && done.changeSequence == 9)
        }
    }

    // MARK: Statistics

    private static func statistics(_ digest: String = "statistics") -> ExportRequest {
        ExportRequest(
            id: ExportID(UUID()), study: "walks", account: account, profile: ExportJob.statisticsProfile,
            filters: ["questionnaire": "who_5"], digest: digest, tag: "state")
    }

    /// Claims and finishes the next statistics.
    private static func compute(_ store: Store, _ result: JSON, at seconds: Int) async throws -> Bool {
        let now = start.adding(seconds: seconds)
        let job = try #require(
            try await store.claimExport(.statistics, now: now, leaseUntil: now.adding(seconds: 30)))
        return try await store.finishStatistics(
            job, result: result, sheets: 5, tag: "state", changeSequence: 9, audit: audit("statistics_made"),
            now: now)
    }

    @Test func `statistics do not wait for a dataset of the same study`() async throws {
        try await StoreFixture.with { fixture in
            let store = fixture.store
            let dataset = try await Self.queue(store, Self.order())
            let statistics = try await Self.queue(store, Self.statistics(), after: 1)
            try await Self.queue(store, Self.statistics("other"), after: 2)
            let now = Self.start
            func claim() async throws -> ExportID? {
                try await store.claimExport(.statistics, now: now, leaseUntil: now.adding(seconds: 30))?.id
            }

            #expect(try await Self.claim(store)?.id == dataset)
            #expect(try await claim() == statistics)
            // One at a time.
            #expect(try await claim() == nil)
            #expect(try await Self.claim(store) == nil)
            #expect(try await store.listExportFiles().map(\.id) == [dataset])
        }
    }

    @Test func `only the last result is kept, and a failed request after it is shown`() async throws {
        try await StoreFixture.with { fixture in
            let store = fixture.store
            func jobs() async throws -> StatisticsJobs? {
                try await store.listStatistics(of: "walks", digests: ["statistics"])["statistics"]
            }
            #expect(try await jobs() == nil)
            try await Self.queue(store, Self.statistics())
            #expect(try await jobs()?.pending?.state == .queued)
            #expect(try await Self.compute(store, ["sheets": 1], at: 1))
            try await Self.queue(store, Self.statistics(), after: 2)
            #expect(try await jobs()?.result?.json == ["sheets": 1])
            #expect(try await Self.compute(store, ["sheets": 2], at: 3))

            let found = try #require(try await jobs())
            #expect(found.result?.json == ["sheets": 2] && found.pending == nil)
            #expect(found.result?.changeSequence == 9 && found.result?.tag == "state")
            #expect(found.result?.computedAt == Self.start.adding(seconds: 3))
            // A result is not deleted because time has passed.
            #expect(
                try await store.expireExports(lastRequestedBefore: Self.start.adding(seconds: 999)).isEmpty)
            try await Self.queue(store, Self.statistics(), after: 4)
            let now = Self.start.adding(seconds: 5)
            let failing = try #require(
                try await store.claimExport(.statistics, now: now, leaseUntil: now.adding(seconds: 30)))
            try await store.failExport(failing, failure: "too many sheets", now: now)
            let last = try #require(try await jobs())
            #expect(last.pending?.state == .failed && last.pending?.failure == "too many sheets")
            #expect(last.result?.json == ["sheets": 2])
            let results = try await fixture.owner.query(
                Statement(name: "count", sql: "select count(result) as count from research.export_job"), []
            ).one().get("count", as: Int.self)
            #expect(results == 1)
        }
    }

    @Test func `an exclusion deletes the result and restarts a running job`() async throws {
        try await StoreFixture.with { fixture in
            let store = fixture.store
            try await Self.queue(store, Self.statistics())
            #expect(try await Self.compute(store, ["sheets": 1], at: 1))
            try await Self.queue(store, Self.statistics("other"), after: 2)
            let now = Self.start.adding(seconds: 3)
            let running = try #require(
                try await store.claimExport(.statistics, now: now, leaseUntil: now.adding(seconds: 30)))

            _ = try await store.research.write { transaction in
                try await transaction.pipeline([Store.discardExportsCall(of: "walks", now: now)])
            }

            let found = try await store.listStatistics(of: "walks", digests: ["statistics", "other"])
            #expect(found["statistics"] == nil && found["other"]?.pending?.state == .queued)
            #expect(
                try await !store.finishStatistics(
                    running, result: [:], sheets: 1, tag: nil, changeSequence: 1, audit: Self.audit(),
                    now: now))
        }
    }

    @Test func `a job that stops every worker fails`() async throws {
        try await StoreFixture.with { fixture in
            let store = fixture.store
            let id = try await Self.queue(store, Self.order())
            let next = try await Self.queue(store, Self.order(), after: 1)
            for attempt in 0..<5 { #expect(try await Self.claim(store, at: attempt * 31)?.id == id) }
            #expect(try await Self.claim(store, at: 5 * 31) == nil)

            try await store.failAbandonedExports(failure: "gone", now: Self.start.adding(seconds: 5 * 31))

            let given = try await store.findExport(id, study: "walks")
            #expect(given?.state == .failed && given?.failure == "gone")
            #expect(try await Self.claim(store, at: 5 * 31)?.id == next)
        }
    }

    @Test func `queued jobs and jobs of the current state are equivalent to a new request`() async throws {
        try await StoreFixture.with { fixture in
            let store = fixture.store
            func equivalentTo(_ digest: String = "request", tag: String?) async throws -> [ExportJob.State] {
                try await store.listExports(equivalentTo: Self.order("walks", digest, tag: tag)).map(\.state)
            }
            try await Self.queue(store, Self.order())
            // A queued job uses a later state, regardless of its tag.
            #expect(try await equivalentTo(tag: nil) == [.queued])
            #expect(try await equivalentTo("other", tag: "state") == [])

            let job = try #require(try await Self.claim(store))
            #expect(try await equivalentTo(tag: "state") == [.running])
            #expect(try await equivalentTo(tag: "later") == [])
            #expect(try await equivalentTo(tag: nil) == [])

            _ = try await store.finishExport(
                job, Self.file(tag: "later"), audit: Self.audit("export_made"), now: Self.start)
            #expect(try await equivalentTo(tag: "later") == [.done])
            #expect(try await equivalentTo(tag: "state") == [])
        }
    }

    @Test func `a request above the limit of queued jobs is rejected and not stored`() async throws {
        try await StoreFixture.with { fixture in
            for second in 0..<10 { try await Self.queue(fixture.store, Self.order(), after: second) }

            let refused = Self.order()
            #expect(try await !fixture.store.insertExport(refused, audit: Self.audit(), now: Self.start))

            #expect(try await fixture.store.findExport(refused.id, study: "walks") == nil)
            try await Self.queue(fixture.store, Self.order("meadow"))
            let auditEntries = try await fixture.owner.query(
                Statement(name: "count", sql: "select count(*) as count from audit.entry"), []
            ).one().get("count", as: Int.self)
            #expect(auditEntries == 11)
        }
    }

    @Test
    func `an unfinished job is cancelled, a finished one is deleted, and repeating either changes nothing`()
        async throws
    {
        try await StoreFixture.with { fixture in
            let store = fixture.store
            func end(_ id: ExportID) async throws -> ExportJob.State? {
                try await store.cancelOrDeleteExport(id, study: "walks", now: Self.start) {
                    Self.audit("export_\($0.rawValue)")
                }
            }
            let done = try await Self.queue(store, Self.order())
            let made = try #require(try await Self.claim(store))
            _ = try await store.finishExport(
                made, Self.file(), audit: Self.audit("export_made"), now: Self.start)
            let running = try await Self.queue(store, Self.order(), after: 1)
            let lost = try #require(try await Self.claim(store))
            let waiting = try await Self.queue(store, Self.order(), after: 2)

            #expect(try await end(done) == .deleted)
            #expect(try await end(running) == .cancelled)
            #expect(try await end(waiting) == .cancelled)
            for id in [done, running, waiting] { #expect(try await end(id) == nil) }
            #expect(
                try await !store.finishExport(
                    lost, Self.file(), audit: Self.audit("export_made"), now: Self.start))
            #expect(try await Self.claim(store, at: 100) == nil)
            #expect(try await store.listExportFiles().isEmpty)
        }
    }

    @Test func `a file is kept from its last request`() async throws {
        try await StoreFixture.with { fixture in
            let store = fixture.store
            let id = try await Self.queue(store, Self.order())
            let job = try #require(try await Self.claim(store))
            _ = try await store.finishExport(
                job, Self.file(), audit: Self.audit("export_made"), now: Self.start)
            try await store.renewExport(id, audit: Self.audit(), now: Self.start.adding(seconds: 50))

            #expect(
                try await store.expireExports(lastRequestedBefore: Self.start.adding(seconds: 50)).isEmpty)
            #expect(
                try await store.expireExports(lastRequestedBefore: Self.start.adding(seconds: 51)) == [id])
            #expect(try await store.findExport(id, study: "walks")?.state == .expired)
        }
    }
}
