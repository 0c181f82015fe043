import SaunterCore
import SaunterTesting

@testable import SaunterEvaluation

/// A random table of PSS-10 sheets of several participants. The test knows the order in which the sheets were
/// completed; the program must find it in the columns.
struct RandomSheetTable {
    /// How the columns state the order of the sheets of one participant.
    enum Order: CaseIterable {
        /// Only `submitted_at`.
        case instant
        /// Only `study_day`. As text, the days have a different order.
        case day
        /// Only `started_at`.
        case start
        /// `submitted_at`. The later the instant, the smaller `study_day`.
        case instantAgainstDay
        /// Equal `submitted_at`, and `study_day`.
        case dayWithinInstant
        /// Equal `study_day`, and `started_at`.
        case startWithinDay
    }

    struct Row {
        let participant: String
        /// `submitted_at`, `study_day` and `started_at`; empty for a blank.
        var order: [String]
        /// Nil is a blank.
        let answers: [Int?]

        var cells: [String] { [participant] + order + answers.map { $0.map(String.init) ?? "" } }
    }

    static let header =
        ["participant_id", "submitted_at", "study_day", "started_at"] + (1...10).map { "q\($0)" }
    private static let reversed: Set = [3, 4, 6, 7]
    /// 2026-01-01T00:00:00Z.
    private static let origin: Int64 = 1_767_225_600_000

    /// The sheets of each participant, first to last. The participants are sorted by name.
    var participants: [[Row]] = []

    /// Odd seeds make a table with one kind of order, even seeds a table in which each participant has a random one.
    init(seed: UInt64) {
        var generator = SeededGenerator(seed)
        let orders: [Order] =
            seed.isMultiple(of: 2)
            ? Order.allCases : [generator.element(from: Order.allCases, or: .day)]
        for number in 100..<(100 + generator.number(15...25)) {
            let order = generator.element(from: orders, or: .day)
            let level = generator.number(0...4)
            let trend = generator.number(-2...2)
            let cells = Self.orderCells(order, count: generator.number(1...4), &generator)
            participants.append(
                cells.enumerated().map { index, cells in
                    Row(
                        participant: "P\(number)", order: cells,
                        answers: Self.answers(level: level + trend * index, &generator))
                })
        }
    }

    /// The cells of the columns that sort the sheets, for each sheet in the order of completion.
    private static func orderCells(
        _ order: Order, count: Int, _ generator: inout SeededGenerator
    ) -> [[String]] {
        var hour = generator.number(0...1000)
        var day = generator.number(-12...9)
        let firstHour = hour
        let firstDay = day
        return (0..<count).map { _ in
            hour += generator.number(1...300)
            day += generator.number(1...9)
            switch order {
            case .instant: return [instant(hour, &generator), "", ""]
            case .day: return ["", "\(day)", ""]
            case .start: return ["", "", instant(hour, &generator)]
            case .instantAgainstDay: return [instant(hour, &generator), "\(-day)", ""]
            case .dayWithinInstant: return [instant(firstHour, &generator), "\(day)", ""]
            case .startWithinDay: return ["", "\(firstDay)", instant(hour, &generator)]
            }
        }
    }

    /// An instant with a random offset, so that the order of the texts differs from the order of the instants.
    private static func instant(_ hour: Int, _ generator: inout SeededGenerator) -> String {
        let (offset, suffix) = generator.element(
            from: [(0, "Z"), (5, "+05:00"), (-8, "-08:00")], or: (0, "Z"))
        let local = Instant(milliseconds: origin + Int64(hour + offset) * 3_600_000)
        return String(local.description.dropLast()) + suffix
    }

    /// Answers near the level; one in 40 is blank.
    private static func answers(level: Int, _ generator: inout SeededGenerator) -> [Int?] {
        (0..<10).map { item in
            let keyed = min(4, max(0, level + generator.number(-1...1)))
            if generator.chance(oneIn: 40) { return nil }
            return reversed.contains(item) ? 4 - keyed : keyed
        }
    }

    /// The answers of one sheet as the scale `total` counts them.
    static func keyed(_ row: Row) -> [Double?] {
        row.answers.enumerated().map { item, answer in
            answer.map { Double(reversed.contains(item) ? 4 - $0 : $0) }
        }
    }

    /// The score `total`; nil if an answer is missing.
    static func total(_ row: Row) -> Double? {
        let known = keyed(row).compactMap(\.self)
        return known.count == 10 ? known.reduce(0, +) : nil
    }

    /// The table with its rows in random order. A column without values is omitted.
    func shuffled(_ generator: inout SeededGenerator) -> (text: String, participants: [String]) {
        let rows = participants.joined().shuffled(using: &generator)
        let used = Self.header.indices.filter { column in
            column > 3 || rows.contains { !$0.cells[column].isEmpty }
        }
        let lines = [Self.header] + rows.map(\.cells)
        let text = lines.map { line in used.map { line[$0] }.joined(separator: ",") + "\n" }.joined()
        return (text, rows.map(\.participant))
    }
}
