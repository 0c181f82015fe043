import Foundation
import Logging
import Postgres
import SaunterCore
import SaunterStore
import SaunterTesting

/// The nightly reconcile and the due-today reckoning while more and more people are enrolled: as many as ever have
/// something to do, the others nothing.
enum Growth {
    private static let now = Instant("2026-04-02T19:00:00Z") ?? .minimum
    private static let busy = [1000, 4000]

    static func run(sizes: [Int]) async throws {
        print(
            "a PostgreSQL of its own without fsync; \(EngineCost.study.schedules.count) schedules, 3 old occasions each"
        )
        print("  enrolled     busy   reconcile    due today   both, idle   (ms)")
        for size in sizes {
            for busy in busy { try await measure(size, busy: min(busy, size)) }
        }
    }

    private static func measure(_ size: Int, busy: Int) async throws {
        let logger = Logger(label: "bench") { _ in SwiftLogNoOpLogHandler() }
        let database = try await TestCluster.makeDatabase()
        let url = try ConnectionString(database.connectionString)
        try await Migrations.apply(to: url, logger: logger)
        try await populate(url, size, busy, logger)
        let store = Store(
            url, secrets: StoreSecrets(master: Array(repeating: 7, count: 32)), connections: 4, logger: logger
        )

        let reconcile = try await milliseconds { try await nightly(store) }
        let due = try await milliseconds { try await dueToday(store) }
        let idle = try await milliseconds {
            try await nightly(store)
            try await dueToday(store)
        }
        let row = [Double(size), Double(busy), reconcile, due, idle]
        let widths = [10, 8, 11, 12, 12]
        print(
            zip(row, widths).enumerated().map { place, cell in
                let text = String(format: place < 2 ? "%.0f" : "%.1f", cell.0)
                return String(repeating: " ", count: max(0, cell.1 - text.count)) + text
            }.joined())
        await store.close()
        try await database.drop()
    }

    /// Without triggers and references, which only slow the filling down.
    private static func populate(_ url: ConnectionString, _ size: Int, _ busy: Int, _ logger: Logger)
        async throws
    {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "population.sql")
        let statements = try String(contentsOf: file, encoding: .utf8).components(separatedBy: "-- name: ")
            .dropFirst()
        let owner = Pool(
            connectionString: url, size: 1, name: "owner", statementTimeout: nil, logger: logger)
        try await owner.write { connection in
            try await connection.execute(script: "set session_replication_role = replica")
            for statement in statements {
                guard let end = statement.firstIndex(of: "\n") else { continue }
                let name = String(statement[..<end])
                let parameters: [Parameter] =
                    name == "enrolments" ? [.int4(Int32(clamping: size)), .int4(Int32(clamping: busy))] : []
                _ = try await connection.query(
                    Statement(name: name, sql: String(statement[end...])), parameters)
            }
        }
        try await owner.write { try await $0.execute(script: "set session_replication_role = origin") }
        _ = try await owner.query(
            Statement(name: "analyse", sql: "analyze research.enrolment, research.occasion"), [])
        await owner.close()
    }

    /// As the reminder loop does it.
    private static func nightly(_ store: Store) async throws {
        let horizon = Zone.utc.local(of: now).date.adding(days: 7)
        var place: PlanPlace?
        while true {
            let page = try await store.listEnrolments(plannedBefore: horizon, after: place, limit: 500)
            for next in page {
                try await store.extendHorizon(next.enrolment, study: EngineCost.study, now: now)
            }
            guard page.count == 500 else { return }
            place = page.last
        }
    }

    /// As the reminder step does it, without sending.
    private static func dueToday(_ store: Store) async throws {
        while try await store.claimReminders(
            now: now,
            decide: { found in
                found.prompting(EngineCost.study, at: now).decision(
                    at: now, waitedFor: found.enrolment.nextReminderAt ?? now)
            }) != nil
        {}
    }

    private static func milliseconds(_ work: () async throws -> Void) async throws -> Double {
        let clock = ContinuousClock()
        let start = clock.now
        try await work()
        return (clock.now - start) / .milliseconds(1)
    }
}
