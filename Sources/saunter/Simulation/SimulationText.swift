import SaunterCohort
import SaunterCore

/// The report of a dry run for reading.
struct SimulationText {
    private let simulation: Simulation
    private let report: SimulationReport
    private let walksPerDay: Double

    init(_ simulation: Simulation, _ report: SimulationReport, walksPerDay: Double) {
        self.simulation = simulation
        self.report = report
        self.walksPerDay = walksPerDay
    }

    var lines: [String] {
        let study = simulation.study
        let total = report.total
        var lines = [
            "\(study.code) \(study.version): \(total.people) made-up people who join from \(simulation.start) on, "
                + "seed \(simulation.seed)",
            "\(total.left) leave, \(total.silent) fall silent, \(report.pausing) take a break, \(report.travellers) travel, "
                + "\(report.walks) walks, \(total.unscheduled) sheets at any time",
            "",
        ]
        lines +=
            arms + [""] + cells + [""] + weeks + [""] + months + [""] + calendar + [""] + [
                prompts, adherence, reminders,
            ]
        return lines
    }

    private var arms: [String] {
        var table = TextTable([
            "arm", "people", "prompts a day", "minutes a day", "of them answered", "by the definition",
            "adherence",
            "on time",
        ])
        for (arm, figures) in report.arms {
            let nominal = simulation.study.burdenMinutesPerDay(
                arm: arm.isEmpty ? nil : arm, walksPerDay: walksPerDay)
            table.append([
                arm, "\(figures.people)", Self.text(figures.promptsPerDay),
                Self.text(figures.minutesAskedPerDay),
                Self.text(figures.minutesAnsweredPerDay), Self.text(nominal),
                "\(Self.percent(figures.adherencePercent)) (\(figures.completed) of \(figures.settled))",
                Self.percent(figures.onTimePercent),
            ])
        }
        return table.lines
    }

    /// What an analysis will have.
    private var cells: [String] {
        var table = TextTable([
            "arm", "schedule", "asked", "with a sheet", "with all", "occasions", "answered", "adherence",
        ])
        for cell in report.cells {
            table.append([
                cell.arm, cell.schedule, "\(cell.asked)", "\(cell.answering)", "\(cell.complete)",
                "\(cell.settled)",
                "\(cell.completed)", Self.percent(SimulationReport.percent(cell.completed, of: cell.settled)),
            ])
        }
        return table.lines
    }

    private var weeks: [String] {
        var table = TextTable(["week of study", "enrolled", "prompts a day", "answered", "reminders"])
        let days = report.studyDays
        for start in stride(from: 0, to: days.count, by: 7) {
            let week = days[start..<min(start + 7, days.count)]
            table.append(
                ["\(start / 7 + 1)", "\(week.map(\.enrolled).max() ?? 0)"] + Self.cells(Array(week)))
        }
        return table.lines
    }

    private var months: [String] {
        var table = TextTable(["month", "enrolled at most", "prompts a day", "answered", "reminders"])
        let byMonth = Dictionary(grouping: report.calendar) { $0.key.description.prefix(7) }
        for (month, days) in byMonth.sorted(by: { $0.key < $1.key }) {
            let days = days.map(\.value)
            table.append([String(month), "\(days.map(\.enrolled).max() ?? 0)"] + Self.cells(days))
        }
        return table.lines
    }

    private var calendar: [String] {
        let lines = SimulationCalendar(report.calendar).lines
        return lines.isEmpty ? [] : ["Prompts of each day, and how much of them is answered"] + lines
    }

    private static func cells(_ days: [SimulationReport.Day]) -> [String] {
        let prompts = days.reduce(0) { $0 + $1.prompts }
        let enrolled = days.reduce(0) { $0 + $1.enrolled }
        let answered = days.reduce(0) { $0 + $1.answered }
        return [
            text(enrolled > 0 ? Double(prompts) / Double(enrolled) : 0),
            "\(answered) of \(prompts)", "\(days.reduce(0) { $0 + $1.reminders })",
        ]
    }

    private var prompts: String {
        let all = max(1, report.promptsPerDay.reduce(0, +))
        let shares = report.promptsPerDay.enumerated().filter { $0.element > 0 }.prefix(12).map {
            count, days in
            "\(count) on \(Self.percent(SimulationReport.percent(days, of: all)))"
        }
        return
            "Prompts on a participant's day: \(shares.joined(separator: ", ")) of days; at most \(max(0, report.promptsPerDay.count - 1))"
    }

    private var adherence: String {
        let places = [10, 25, 50, 75, 90].map {
            "\($0) % of people up to \(report.adherence(quantile: $0).map { "\($0) %" } ?? "–")"
        }
        return "Adherence of people: \(places.joined(separator: ", "))"
    }

    private var reminders: String {
        let busiest = report.calendar.max { ($0.value.reminders, $1.key) < ($1.value.reminders, $0.key) }
        let most = busiest.map { ", \($0.value.reminders) on the busiest day (\($0.key))" } ?? ""
        return
            "Reminders that go out: \(report.total.reminders)\(most); they count \(report.remindedInVain) occasions that were "
            + "answered without network; \(report.keptBack) sheets and \(report.walksKeptBack) walks come in later than they were made"
    }

    static func percent(_ value: Double?) -> String { value.map { "\($0) %" } ?? "–" }

    /// To two decimals.
    private static func text(_ value: Double) -> String {
        let hundredths = Int((value * 100).rounded())
        let rest = hundredths % 100
        return "\(hundredths / 100).\(rest < 10 ? "0" : "")\(rest)"
    }
}
