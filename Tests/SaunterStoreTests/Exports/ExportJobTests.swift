import Foundation
import Postgres
import SaunterCore
import Testing

@testable import SaunterStore

@Suite struct ExportJobTests {
    private static let start = Instant(milliseconds: 1_795_248_000_000)
    private static let account = AccountID(UUID())

    private static func order(_ study: String = "walks", _ digest: String = "request", tag: String? = "state")
        -> ExportOrder
    {
        ExportOrder(
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
    private static func queue(_ store: Store, _ order: ExportOrder, after seconds: Int = 0) async throws
        -> ExportID
    {
        #expect(try await store.insertExport(order, audit: audit(), now: start.adding(seconds: seconds)))
        return order.id
    }

    private static func claim(_ store: Store, at seconds: Int = 0) async throws -> ExportJob? {
        let now = start.adding(seconds: seconds)
        return try await store.claimExport(now: now, leaseUntil: now.adding(seconds: 30))
    }

    @Test func `one job of a study at a time, the oldest first, and other studies beside it`() async throws {
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

    @Test func `servers that look at one moment begin one job of a study`() async throws {
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
    func `a job whose worker died is taken up again after its lease, and the dead one's word counts no more`()
        async throws
    {
        try await StoreFixture.with { fixture in
            let store = fixture.store
            try await Self.queue(store, Self.order())
            let dead = try #require(try await Self.claim(store))
            #expect(try await Self.claim(store, at: 29) == nil)
            let alive = try #require(try await Self.claim(store, at: 31))

            #expect(alive.id == dead.id && alive.attempt == dead.attempt + 1)
            let now = Self.start.adding(seconds: 32)
            #expect(
                try await !store.advanceExport(
                    dead, progress: 0.5, file: "x", rows: 1, estimated: 2, leaseUntil: now))
            #expect(
                try await !store.finishExport(
                    dead, Self.file(), audit: Self.audit("export_made"), now: now))
            try await store.failExport(dead, failure: "late", now: now)
            #expect(try await store.findExport(alive.id, study: "walks")?.state == .running)
            #expect(
                try await store.advanceExport(
                    alive, progress: 0.25, file: "data/x.csv", rows: 10, estimated: 40, leaseUntil: now))
            let told = try #require(try await store.findExport(alive.id, study: "walks"))
            #expect(told.progress == 0.25 && told.currentFile == "data/x.csv")
            #expect(told.rowsDone == 10 && told.rowsEstimated == 40)
            #expect(
                try await store.finishExport(
                    alive, Self.file(), audit: Self.audit("export_made"), now: now))
            let done = try #require(try await store.findExport(alive.id, study: "walks"))
            #expect(done.state == .done && done.rowsDone == 7 && done.changeSequence == 9)
        }
    }

    @Test func `a job that takes every worker with it is given up`() async throws {
        try await StoreFixture.with { fixture in
            let store = fixture.store
            let id = try await Self.queue(store, Self.order())
            let next = try await Self.queue(store, Self.order(), after: 1)
            for attempt in 0..<5 { #expect(try await Self.claim(store, at: attempt * 31)?.id == id) }
            #expect(try await Self.claim(store, at: 5 * 31) == nil)

            try await store.giveUpExports(failure: "gone", now: Self.start.adding(seconds: 5 * 31))

            let given = try await store.findExport(id, study: "walks")
            #expect(given?.state == .failed && given?.failure == "gone")
            #expect(try await Self.claim(store, at: 5 * 31)?.id == next)
        }
    }

    @Test func `what is alike is what waits, or what nothing has changed since`() async throws {
        try await StoreFixture.with { fixture in
            let store = fixture.store
            func alike(_ digest: String = "request", tag: String?) async throws -> [ExportJob.State] {
                try await store.listExports(alike: Self.order("walks", digest, tag: tag)).map(\.state)
            }
            try await Self.queue(store, Self.order())
            // What waits will be made of a later state, whatever was told before.
            #expect(try await alike(tag: nil) == [.queued])
            #expect(try await alike("other", tag: "state") == [])

            let job = try #require(try await Self.claim(store))
            #expect(try await alike(tag: "state") == [.running])
            #expect(try await alike(tag: "later") == [])
            #expect(try await alike(tag: nil) == [])

            _ = try await store.finishExport(
                job, Self.file(tag: "later"), audit: Self.audit("export_made"), now: Self.start)
            #expect(try await alike(tag: "later") == [.done])
            #expect(try await alike(tag: "state") == [])
        }
    }

    @Test func `too many that wait are refused, and nothing is noted of them`() async throws {
        try await StoreFixture.with { fixture in
            for second in 0..<10 { try await Self.queue(fixture.store, Self.order(), after: second) }

            let refused = Self.order()
            #expect(try await !fixture.store.insertExport(refused, audit: Self.audit(), now: Self.start))

            #expect(try await fixture.store.findExport(refused.id, study: "walks") == nil)
            try await Self.queue(fixture.store, Self.order("meadow"))
            let noted = try await fixture.owner.query(
                Statement(name: "count", sql: "select count(*) as count from audit.entry"), []
            ).one().get("count", as: Int.self)
            #expect(noted == 11)
        }
    }

    @Test func `what is stopped is cancelled, what is done is deleted, and again changes nothing`()
        async throws
    {
        try await StoreFixture.with { fixture in
            let store = fixture.store
            func end(_ id: ExportID) async throws -> ExportJob.State? {
                try await store.endExport(id, study: "walks", now: Self.start) {
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

    @Test func `a file is kept from when it was wanted last`() async throws {
        try await StoreFixture.with { fixture in
            let store = fixture.store
            let id = try await Self.queue(store, Self.order())
            let job = try #require(try await Self.claim(store))
            _ = try await store.finishExport(
                job, Self.file(), audit: Self.audit("export_made"), now: Self.start)
            try await store.wantExport(id, audit: Self.audit(), now: Self.start.adding(seconds: 50))

            #expect(try await store.expireExports(wantedBefore: Self.start.adding(seconds: 50)).isEmpty)
            #expect(try await store.expireExports(wantedBefore: Self.start.adding(seconds: 51)) == [id])
            #expect(try await store.findExport(id, study: "walks")?.state == .expired)
        }
    }
}
