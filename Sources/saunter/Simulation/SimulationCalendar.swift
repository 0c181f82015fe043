import SaunterCohort
import SaunterCore

/// A calendar with one week per line: the number of occasions of each day, and the share that is answered. No line is
/// wider than 100 columns.
struct SimulationCalendar {
    private let days: [LocalDate: SimulationReport.Day]

    /// The maximum number of weeks that are shown.
    static let maximumWeeks = 60

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
            if weeks <= Self.maximumWeeks {
                table.append([monday.description] + (0..<7).map { Self.cell(days[monday.adding(days: $0)]) })
            }
            monday = monday.adding(days: 7)
        }
        let omitted = weeks - Self.maximumWeeks
        return table.lines + (omitted > 0 ? ["… and \(omitted) more weeks; --json shows them"] : [])
    }

    /// A dot if no participant is enrolled, a dash if there are no occasions.
    private static func cell(_ day: SimulationReport.Day?) -> String {
        guard let day, day.enrolled > 0 || day.occasions > 0 else { return "·" }
        guard day.occasions > 0 else { return "–" }
        return "\(short(day.occasions)) \(day.answered * 100 / day.occasions)%"
    }

    /// At most five characters, for counts below 10 billion.
    private static func short(_ count: Int) -> String {
        switch count {
        case ..<100_000: "\(count)"
        case ..<10_000_000: "\(count / 1000)k"
        default: "\(count / 1_000_000)M"
        }
    }
}
