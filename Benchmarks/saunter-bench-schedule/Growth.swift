import Foundation
import Logging
import Postgres
import SaunterCore
import SaunterStore
import SaunterTesting

/// Measures nightly planning and the claims of reminders with a growing number of enrolments. The number of enrolments
/// with changes stays the same.
enum Growth {
    private static let now = Instant("2026-04-02T19:00:00Z") ?? .minimum
    private static let busy = [250, 1000]

    static func run(sizes: [Int]) async throws {
        let clock = ContinuousClock()
        let start = clock.now
        print(
            "a private PostgreSQL without fsync; \(EngineCost.study.schedules.count) schedules, 3 old occasions each"
        )
        let logger = Logger(label: "bench") { _ in SwiftLogNoOpLogHandler() }
        let database = try await TestCluster.makeDatabase()
        let url = try ConnectionString(database.connectionString)
        try await Migrations.apply(to: url, logger: logger)
        var population = try Population(url, logger: logger)
        let store = Store(
            url, secrets: StoreSecrets(master: Array(repeating: 7, count: 32)), connections: 4, logger: logger
        )
        print("  enrolled     busy    planning       claims      claims during export     no changes   (ms)")
        for size in sizes.sorted() {
            let filling = try await milliseconds { try await population.grow(to: size) }
            print("  filled up to \(size) in \(Int(filling / 1000)) s")
            fflush(nil)
            for busy in busy { try await measure(store, population, [size, min(busy, size / 16)]) }
        }
        await store.close()
        await population.close()
        try await database.drop()
        print("all in \((clock.now - start) / .seconds(1)) s")
    }

    /// - Parameter row: the number of enrolments, and how many of them have changes.
    private static func measure(_ store: Store, _ population: Population, _ row: [Int]) async throws {
        try await population.makeBusy(row[1])
        let reconcile = try await milliseconds { try await nightly(store) }
        let due = try await milliseconds { try await dueToday(store) }
        try await population.makeBusy(row[1])
        try await nightly(store)
        let duringExport = try await population.withOldSnapshot {
            try await milliseconds { try await dueToday(store) }
        }
        let idle = try await milliseconds {
            try await nightly(store)
            try await dueToday(store)
            try await runRemainingSteps(store)
        }
        let cells =
            row.map(String.init) + [reconcile, due, duringExport, idle].map { String(format: "%.1f", $0) }
        let widths = [10, 8, 11, 12, 24, 15]
        print(
            zip(cells, widths).map { text, width in
                String(repeating: " ", count: max(0, width - text.count)) + text
            }.joined())
        fflush(nil)
    }

    /// The other statements of each run of the reminder loop.
    private static func runRemainingSteps(_ store: Store) async throws {
        _ = try await store.markAbandonedReminders(claimedBefore: now.adding(seconds: -900))
        _ = try await store.claimRetry(now: now)
        _ = try await store.claimOutgoingMail(now: now, leaseUntil: now.adding(seconds: 600))
        let yesterday = Zone.utc.local(of: now).date.adding(days: -1)
        _ = try await store.listEnrolments(plannedBefore: yesterday, limit: 500)
        try await store.deleteExpiredIdentityRows(now: now)
    }

    /// Extends plans like the reminder loop.
    private static func nightly(_ store: Store) async throws {
        let horizon = Zone.utc.local(of: now).date.adding(days: 7)
        var cursor: PlanCursor?
        while true {
            let page = try await store.listEnrolments(plannedBefore: horizon, after: cursor, limit: 500)
            for next in page {
                try await store.extendHorizon(next.enrolment, study: EngineCost.study, now: now)
            }
            guard page.count == 500 else { return }
            cursor = page.last
        }
    }

    /// Claims reminders like the reminder step, without sending.
    private static func dueToday(_ store: Store) async throws {
        while try await store.claimReminders(
            now: now,
            decide: { found in
                found.reminderPlanner(EngineCost.study, at: now).decision(
                    at: now, scheduledAt: found.enrolment.nextReminderAt ?? now)
            }) != nil
        {}
    }
}
