import Foundation
import Logging
import Postgres
import SaunterCore
import SaunterPacks
import SaunterReminders
import SaunterStore
import SaunterTesting

/// Measures the rule step with a growing number of enrolments. Each evaluated participant has 61 moods, of which one is
/// new, and gets four messages and an award: one decision of each rule.
struct RuleCost {
    private static let now = Instant("2026-04-02T13:00:05Z") ?? .minimum
    /// The smallest number is measured at all sizes, and in several rounds.
    private static let due = [1000, 16_000]
    private static let rounds = 3
    private static let warmUp = 100
    private static let actions = [
        "daily_message": "message", "mood_prompts": "message", "uplift": "message", "thanks": "message",
        "third_mood": "award",
    ]

    private let step: RuleStep
    private let population: Population

    static func run(sizes: [Int]) async throws {
        let logger = Logger(label: "bench") { _ in SwiftLogNoOpLogHandler() }
        let database = try await TestCluster.makeDatabase()
        let url = try ConnectionString(database.connectionString)
        try await Migrations.apply(to: url, logger: logger)
        let store = Store(
            url, secrets: StoreSecrets(master: Array(repeating: 7, count: 32)), connections: 4, logger: logger
        )
        try await AppinessStudy().publish(to: store, now: now.adding(seconds: -90 * 86_400))
        let step = step(store, logger)
        var population = try Population(url, .rules, logger: logger)
        print(
            "a private PostgreSQL without fsync; the rules of appiness, one with entry and one with reached")
        print("  enrolled   nothing due        due   per participant   during export   (ms)")
        var costs: [(size: Int, cost: Double)] = []
        for size in sizes.sorted() {
            let filling = try await milliseconds { try await population.grow(to: size) }
            print("  filled up to \(size) in \(Int(filling / 1000)) s")
            fflush(nil)
            if let cost = try await RuleCost(step: step, population: population).measure(size) {
                costs.append((size, cost))
            }
        }
        if let first = costs.first, let last = costs.last, first.size < last.size {
            let ratio = String(format: "%.2f", last.cost / first.cost)
            print(
                "one participant with \(last.size) enrolled costs \(ratio) times as much as with \(first.size)"
            )
        }
        try await RuleCost(step: step, population: population).showPlans()
        await store.close()
        await population.close()
        try await database.drop()
    }

    private static func step(_ store: Store, _ logger: Logger) -> RuleStep {
        let catalogue = StudyCatalogue(store: store) { files, study in
            try StudyPack.read(PackFiles(files: files), study: study, isPublished: true).study
        }
        let content = ContentCatalogue(store: store) { files, _, study in
            try LibraryParser.read(PackFiles(files: files), of: study)
        }
        return RuleStep(
            store: store, catalogue: catalogue, content: content,
            publicURL: "https://bench.example.org")
    }

    /// Measures each number of due participants, as far as there are enough enrolments.
    /// - Returns: the time of one evaluation in milliseconds, with the smallest number of due participants.
    private func measure(_ size: Int) async throws -> Double? {
        let idle = try await medianOfIdleRuns()
        // Connections prepare their statements, and the catalogues read the study.
        try await evaluate(Self.warmUp)
        var first: Double?
        for due in Self.due where due * (Self.rounds + 2) <= size {
            var costs: [Double] = []
            for _ in 0..<(first == nil ? Self.rounds : 1) { costs.append(try await evaluate(due)) }
            let cost = costs.sorted()[costs.count / 2]
            let duringExport = try await evaluate(due, duringExport: true)
            first = first ?? cost
            let cells = [
                "\(size)", String(format: "%.2f", idle), "\(due)", String(format: "%.2f", cost),
                String(format: "%.2f", duringExport),
            ]
            print(zip(cells, [10, 14, 11, 18, 16]).map { Self.pad($0, to: $1) }.joined())
            fflush(nil)
        }
        try await checkOutcomes()
        return first
    }

    private func medianOfIdleRuns() async throws -> Double {
        var times: [Double] = []
        for _ in 0..<501 {
            let time = try await milliseconds {
                guard try await !step.run(now: Self.now) else {
                    throw TestingFault("an evaluation was due before any participant was made due")
                }
            }
            times.append(time)
        }
        return times.sorted()[times.count / 2]
    }

    /// Evaluates the rules of new participants until no evaluation is due.
    /// - Returns: the time per participant in milliseconds.
    @discardableResult
    private func evaluate(_ count: Int, duringExport: Bool = false) async throws -> Double {
        try await population.makeBusy(count)
        let time =
            duringExport
            ? try await population.withOldSnapshot { try await drain(expecting: count) }
            : try await drain(expecting: count)
        return time / Double(count)
    }

    private func drain(expecting count: Int) async throws -> Double {
        try await milliseconds {
            var evaluated = 0
            while try await step.run(now: Self.now) { evaluated += 1 }
            guard evaluated == count else {
                throw TestingFault("\(evaluated) evaluations instead of \(count)")
            }
        }
    }

    /// Throws unless each rule has acted once for each evaluated participant.
    private func checkOutcomes() async throws {
        var found: [String: String] = [:]
        for row in try await population.query("outcomes") {
            let (rule, outcome): (String, String) = (try row.get("rule"), try row.get("outcome"))
            let (decisions, evaluated): (Int, Int) = (try row.get("decisions"), try row.get("evaluated"))
            guard decisions == evaluated, found.updateValue(outcome, forKey: rule) == nil else {
                throw TestingFault("\(rule): \(decisions) of \(evaluated) decisions are \(outcome)")
            }
        }
        guard found == Self.actions else { throw TestingFault("the rules decided \(found)") }
    }

    /// Prints the plans of the statements that find and lock a participant whose evaluation is due.
    private func showPlans() async throws {
        try await population.makeBusy(Self.due[0])
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(
            path: "../../sql/queries/rules.sql")
        let statements = try Statement.parse(file: String(contentsOf: file, encoding: .utf8))
        let now = "'\(Self.now)'"
        let id: UUID = try await population.query("due").one().get("enrolment_id")
        let arguments = ["list_due_decisions": [now, "20"], "claim_due_decision": ["'\(id)'", now]]
        for (name, arguments) in arguments.sorted(by: { $0.key > $1.key }) {
            guard let statement = statements[name] else { throw TestingFault("no statement \(name)") }
            let plan = try await population.plan(of: statement, arguments)
            print(([name] + plan).joined(separator: "\n  "))
            guard !plan.contains(where: { $0.contains("Seq Scan") }) else {
                throw TestingFault("\(name) scans the whole table")
            }
        }
    }

    private static func pad(_ text: String, to width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.count)) + text
    }
}
