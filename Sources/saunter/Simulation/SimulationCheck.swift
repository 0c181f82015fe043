import Foundation
import SaunterCohort
import SaunterCore
import SaunterEvaluation

/// What came of a dry run through a server: whether every sheet that it acknowledged is in the dataset once, and nothing else is, and
/// what it has rejected.
struct SimulationCheck {
    let handedIn: HandedIn
    let mails: Int
    let seconds: Double
    /// Sheets that are in the dataset, by their rows.
    private(set) var sheets = 0
    private(set) var occasions = 0
    private(set) var settled = 0
    private(set) var completed = 0
    private(set) var onTime = 0
    private(set) var enrolments = 0
    private(set) var missing: [String] = []
    private(set) var twice: [String] = []
    private(set) var unknown: [String] = []

    /// - Parameter dataset: its folder.
    init(dataset: String, handedIn: HandedIn, mails: Int, seconds: Double) throws {
        self.handedIn = handedIn
        self.mails = mails
        self.seconds = seconds
        var seen: [String: Int] = [:]
        try Self.read("sheets", of: dataset) { row in
            seen[row["sheet_id"] ?? "", default: 0] += 1
            sheets += 1
        }
        // In a dataset a letter stands before every id.
        let expected = Set(handedIn.acknowledged.map { "S\($0)" })
        missing = expected.filter { seen[$0] == nil }.sorted()
        twice = seen.filter { $0.value > 1 }.keys.sorted()
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
            case .missed, .declined:
                settled += 1
                occasions += 1
            case .open, .overdue: occasions += 1
            default: break
            }
        }
        try Self.read("enrolments", of: dataset) { _ in enrolments += 1 }
    }

    private var acknowledged: Int { handedIn.acknowledged.count }

    /// Every acknowledged sheet is there once, and no other, and nothing was rejected: made-up people do nothing that a study does not
    /// allow.
    var isWhole: Bool { isKept && handedIn.rejections.isEmpty }

    private var isKept: Bool { missing.isEmpty && twice.isEmpty && unknown.isEmpty }

    var json: JSON {
        [
            "whole": .bool(isWhole), "acknowledged": .int(acknowledged), "sheets": .int(sheets),
            "missing": .array(missing.prefix(20).map(JSON.string)),
            "twice": .array(twice.prefix(20).map(JSON.string)),
            "unknown": .array(unknown.prefix(20).map(JSON.string)),
            "rejected": [
                "count": .int(handedIn.rejections.count),
                "reasons": .array(handedIn.reasons.map(JSON.string)),
            ], "enrolments": .int(enrolments),
            "prompts": .int(occasions), "settled": .int(settled), "completed": .int(completed),
            "on_time": .int(onTime), "reminders": .int(mails),
            "seconds": .double((seconds * 1000).rounded() / 1000),
        ]
    }

    func lines(beside report: SimulationReport) -> [String] {
        var table = TextTable(["", "by the engine", "through the API"])
        let rows = [
            ("people", report.total.people, enrolments), ("prompts", report.total.prompts, occasions),
            ("settled", report.total.settled, settled), ("answered", report.total.completed, completed),
            ("on time", report.total.onTime, onTime), ("reminders", report.total.reminders, mails),
        ]
        for (name, expected, found) in rows { table.append([name, "\(expected)", "\(found)"]) }
        let perSecond = Int(Double(report.total.personDays) / max(seconds, 0.001))
        let duration = Simulate.short(seconds)
        let speed = "Through the API: \(duration) s, \(perSecond) days of participants a second"
        return [""] + table.lines + [""] + verdict + [speed]
    }

    /// Whether it is whole, in words.
    var verdict: [String] {
        let kept =
            isKept
            ? "All \(acknowledged) sheets that the server acknowledged are in the dataset, each once."
            : "Of \(acknowledged) acknowledged sheets \(missing.count) are missing in the dataset and \(twice.count) are there twice; "
                + "\(unknown.count) are there that nobody was told of."
        return [kept] + handedIn.rejectionLines
    }

    /// Every row of a table by the names of its columns.
    private static func read(_ table: String, of dataset: String, row: ([String: String]) -> Void) throws {
        let handle = try FileHandle(forReadingFrom: URL(filePath: "\(dataset)/data/\(table).csv"))
        defer {
            // Only read from: there is nothing that closing could lose.
            try? handle.close()
        }
        var reader = CSVReader { Array(try handle.read(upToCount: 1 << 18) ?? Data()) }
        guard let header = try reader.next()?.fields else { throw CommandFault("\(table).csv is empty") }
        while let record = try reader.next() {
            row(Dictionary(zip(header, record.fields), uniquingKeysWith: { first, _ in first }))
        }
    }
}
