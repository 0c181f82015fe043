import SaunterCohort
import SaunterCore

/// Day by day, a week a line: how many prompts there are, and how much of them is answered. No line is wider than 100 columns.
struct SimulationCalendar {
    private let days: [LocalDate: SimulationReport.Day]

    /// More weeks than these are counted, not shown.
    static let mostWeeks = 60

    init(_ days: [LocalDate: SimulationReport.Day]) {
        self.days = days
    }

    var lines: [String] {
        guard let first = days.keys.min(), let last = days.keys.max() else { return [] }
        var table = TextTable(["week of", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"])
        var monday = first.adding(days: 1 - first.weekday)
        var weeks = 0
        while monday <= last {
            weeks += 1
            if weeks <= Self.mostWeeks {
                table.append([monday.description] + (0..<7).map { Self.cell(days[monday.adding(days: $0)]) })
            }
            monday = monday.adding(days: 7)
        }
        let rest = weeks - Self.mostWeeks
        return table.lines + (rest > 0 ? ["… and \(rest) weeks more; --json has them"] : [])
    }

    /// A dot where nobody takes part, a dash where nothing is asked.
    private static func cell(_ day: SimulationReport.Day?) -> String {
        guard let day, day.enrolled > 0 || day.prompts > 0 else { return "·" }
        guard day.prompts > 0 else { return "–" }
        return "\(short(day.prompts)) \(day.answered * 100 / day.prompts)%"
    }

    /// At most five characters, up to thousands of millions.
    private static func short(_ count: Int) -> String {
        switch count {
        case ..<100_000: "\(count)"
        case ..<10_000_000: "\(count / 1000)k"
        default: "\(count / 1_000_000)M"
        }
    }
}
