import Console
import Foundation
import SaunterCohort
import SaunterCore
import SaunterEvaluation

/// The result of a dry run through a server: whether the dataset contains every acknowledged sheet exactly once and no
/// other sheet, and which records the server rejected.
struct SimulationCheck {
    let outcomes: SubmissionOutcomes
    /// The number of mails that the server sent. The dry run uses no other channel.
    let mails: Int
    let seconds: Double
    /// The number of rows of sheets in the dataset.
    private(set) var sheets = 0
    private(set) var occasions = 0
    private(set) var settled = 0
    private(set) var completed = 0
    private(set) var onTime = 0
    private(set) var enrolments = 0
    /// Rule -> outcome -> the number of stored decisions.
    private(set) var decisions: [String: [RuleOutcome: Int]] = [:]
    private(set) var missing: [String] = []
    private(set) var duplicated: [String] = []
    private(set) var unknown: [String] = []

    /// - Parameters:
    ///   - dataset: the folder of the dataset.
    ///   - hasRules: whether the dataset contains decisions of rules.
    init(
        dataset: String, outcomes: SubmissionOutcomes, mails: Int, seconds: Double, hasRules: Bool = false
    ) throws {
        self.outcomes = outcomes
        self.mails = mails
        self.seconds = seconds
        var seen: [String: Int] = [:]
        try Self.read("sheets", of: dataset) { row in
            seen[row["sheet_id"] ?? "", default: 0] += 1
            sheets += 1
        }
        // In a dataset every id has a letter as prefix.
        let expected = Set(outcomes.acknowledged.map { "S\($0)" })
        missing = expected.filter { seen[$0] == nil }.sorted()
        duplicated = seen.filter { $0.value > 1 }.keys.sorted()
        unknown = seen.keys.filter { !expected.contains($0) }.sorted()
        try Self.read("occasions", of: dataset) { row in
            let state = row["status"].flatMap { OccasionState(rawValue: $0) }
            switch state {
            case .completedOnTime:
                completed += 1
                onTime += 1
                settled += 1
                occasions += 1
            case .completedLate:
                completed += 1
                settled += 1
                occasions += 1
            case .missed:
                settled += 1
                occasions += 1
            case .open, .overdue: occasions += 1
            default: break
            }
        }
        try Self.read("enrolments", of: dataset) { _ in enrolments += 1 }
        guard hasRules else { return }
        try Self.read("decisions", of: dataset) { row in
            guard let rule = row["rule"], let outcome = row["outcome"].flatMap(RuleOutcome.init(rawValue:))
            else { return }
            decisions[rule, default: [:]][outcome, default: 0] += 1
        }
    }

    private var acknowledged: Int { outcomes.acknowledged.count }

    /// Whether the dataset has every acknowledged sheet once and no other, and no record was rejected. Simulated
    /// participants submit only records that the study permits, so every rejection is an error.
    var isComplete: Bool { hasEverySheetOnce && outcomes.rejections.isEmpty }

    private var hasEverySheetOnce: Bool { missing.isEmpty && duplicated.isEmpty && unknown.isEmpty }

    var json: JSON {
        [
            "whole": .bool(isComplete), "acknowledged": .int(acknowledged), "sheets": .int(sheets),
            "missing": .array(missing.prefix(20).map(JSON.string)),
            "twice": .array(duplicated.prefix(20).map(JSON.string)),
            "unknown": .array(unknown.prefix(20).map(JSON.string)),
            "rejected": [
                "count": .int(outcomes.rejections.count),
                "reasons": .array(outcomes.reasons.map(JSON.string)),
            ], "enrolments": .int(enrolments),
            "prompts": .int(occasions), "settled": .int(settled), "completed": .int(completed),
            "on_time": .int(onTime), "reminders": .int(mails),
            "rules": .array(
                decisions.sorted { $0.key < $1.key }.map { rule, outcomes -> JSON in
                    ["rule": .string(rule), "outcomes": .object(RuleFigures.json(outcomes))]
                }),
            "seconds": .double((seconds * 1000).rounded() / 1000),
        ]
    }

    /// The numbers of the simulation next to those of the server, then the result.
    func lines(comparedWith report: SimulationReport) -> [String] {
        var table = TextTable(["", "engine", "API"])
        let rows = [
            ("participants", report.total.participants, enrolments),
            ("occasions", report.total.occasions, occasions),
            ("settled", report.total.settled, settled), ("answered", report.total.completed, completed),
            ("on time", report.total.onTime, onTime), ("reminders", report.total.reminders, mails),
        ]
        for (name, expected, found) in rows { table.append([name, "\(expected)", "\(found)"]) }
        for rule in report.rules {
            let stored = decisions[rule.rule] ?? [:]
            for outcome in RuleOutcome.allCases {
                let (expected, found) = (rule.stored[outcome] ?? 0, stored[outcome] ?? 0)
                guard expected + found > 0 else { continue }
                table.append(["\(rule.rule): \(outcome.rawValue)", "\(expected)", "\(found)"])
            }
        }
        let perSecond = Int(Double(report.total.participantDays) / max(seconds, 0.001))
        let duration = Simulate.short(seconds)
        let speed = "Through the API: \(duration) s, \(perSecond) participant days a second"
        return [""] + table.lines + [""] + resultLines + [speed]
    }

    /// The result in words.
    var resultLines: [String] {
        let result =
            hasEverySheetOnce
            ? "All \(acknowledged) sheets that the server acknowledged are in the dataset, each once."
            : "Of \(acknowledged) acknowledged sheets \(missing.count) are missing from the dataset and \(duplicated.count) are duplicated; "
                + "\(unknown.count) sheets in the dataset were never acknowledged."
        return [result] + outcomes.rejectionLines
    }

    /// Reads every row of a table, by column name.
    private static func read(_ table: String, of dataset: String, row: ([String: String]) -> Void) throws {
        let handle = try FileHandle(forReadingFrom: URL(filePath: "\(dataset)/data/\(table).csv"))
        defer {
            // The file is only read, so an error on closing loses nothing.
            try? handle.close()
        }
        var reader = CSVReader { Array(try handle.read(upToCount: 1 << 18) ?? Data()) }
        guard let header = try reader.next()?.fields else { throw CommandFault("\(table).csv is empty") }
        while let record = try reader.next() {
            row(Dictionary(zip(header, record.fields), uniquingKeysWith: { first, _ in first }))
        }
    }
}
