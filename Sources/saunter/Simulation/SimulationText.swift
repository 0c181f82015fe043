import SaunterCohort
import SaunterCore

/// The report of a dry run as text.
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
            "\(study.code) \(study.version): \(total.participants) simulated participants who join from \(simulation.start), "
                + "seed \(simulation.seed)",
            "\(total.left) leave the study, \(total.stoppedAnswering) stop answering, \(report.pausing) take a break, \(report.travellers) travel, "
                + "\(report.walks) walks, \(total.unscheduled) sheets without an occasion",
            "",
        ]
        lines +=
            arms + [""] + armSchedules + [""] + weeks + [""] + months + [""] + calendar + [""] + rules + [
                occasions, adherence, reminders,
            ]
        return lines
    }

    private var arms: [String] {
        var table = TextTable([
            "arm", "participants", "occasions a day", "minutes a day", "minutes answered",
            "planned minutes a day",
            "adherence",
            "on time",
        ])
        for (arm, figures) in report.arms {
            let nominal = Burden(of: simulation.study, walksPerDay: walksPerDay).minutesPerDay(
                arm: arm.isEmpty ? nil : arm)
            table.append([
                arm, "\(figures.participants)", Self.text(figures.occasionsPerDay),
                Self.text(figures.minutesAskedPerDay),
                Self.text(figures.minutesAnsweredPerDay), Self.text(nominal),
                "\(Self.percent(figures.adherencePercent)) (\(figures.completed) of \(figures.settled))",
                Self.percent(figures.onTimePercent),
            ])
        }
        return table.lines
    }

    /// The numbers of participants and sheets by arm and schedule.
    private var armSchedules: [String] {
        var table = TextTable([
            "arm", "schedule", "with an occasion", "with a sheet", "with all sheets", "occasions", "answered",
            "adherence",
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
        var table = TextTable(["week of study", "enrolled", "occasions a day", "answered", "reminders"])
        let days = report.studyDays
        for start in stride(from: 0, to: days.count, by: 7) {
            let week = days[start..<min(start + 7, days.count)]
            table.append(
                ["\(start / 7 + 1)", "\(week.map(\.enrolled).max() ?? 0)"] + Self.columns(of: Array(week)))
        }
        return table.lines
    }

    private var months: [String] {
        var table = TextTable(["month", "maximum enrolled", "occasions a day", "answered", "reminders"])
        let byMonth = Dictionary(grouping: report.calendar) { $0.key.description.prefix(7) }
        for (month, days) in byMonth.sorted(by: { $0.key < $1.key }) {
            let days = days.map(\.value)
            table.append([String(month), "\(days.map(\.enrolled).max() ?? 0)"] + Self.columns(of: days))
        }
        return table.lines
    }

    private var calendar: [String] {
        let lines = SimulationCalendar(report.calendar).lines
        return lines.isEmpty ? [] : ["Occasions of each day, and the share that is answered"] + lines
    }

    /// The columns that the tables of weeks and months share: occasions a day, answered, and reminders.
    private static func columns(of days: [SimulationReport.Day]) -> [String] {
        let occasions = days.reduce(0) { $0 + $1.occasions }
        let enrolled = days.reduce(0) { $0 + $1.enrolled }
        let answered = days.reduce(0) { $0 + $1.answered }
        return [
            text(enrolled > 0 ? Double(occasions) / Double(enrolled) : 0),
            "\(answered) of \(occasions)", "\(days.reduce(0) { $0 + $1.reminders })",
        ]
    }

    /// What each decision rule did. Nothing for a study without rules.
    private var rules: [String] {
        guard !report.rules.isEmpty else { return [] }
        let days = report.total.participantDays
        var table = TextTable([
            "rule", "decision points", "available", "outcomes", "messages a participant and week",
            "most in a week",
        ])
        for rule in report.rules {
            let outcomes = RuleOutcome.allCases.compactMap { outcome in
                rule.outcomes[outcome].map { "\(outcome.rawValue) \($0)" }
            }
            table.append(
                [rule.rule, "\(rule.points)", "\(rule.available)", outcomes.joined(separator: ", ")]
                    + Self.columns(of: rule.messages, participantDays: days))
        }
        table.append(
            ["all rules", "", "", ""] + Self.columns(of: report.ruleMessages, participantDays: days))
        return table.lines + [""]
    }

    private static func columns(of messages: RuleMessages, participantDays: Int) -> [String] {
        messages.count == 0
            ? ["", ""]
            : [text(messages.perWeek(participantDays: participantDays)), "\(messages.maximumPerWeek)"]
    }

    private var occasions: String {
        let all = max(1, report.occasionsPerDay.reduce(0, +))
        let shares = report.occasionsPerDay.enumerated().filter { $0.element > 0 }.prefix(12).map {
            count, days in
            "\(count) on \(Self.percent(SimulationReport.percent(days, of: all)))"
        }
        return
            "Occasions on one day of a participant: \(shares.joined(separator: ", ")) of days; maximum \(max(0, report.occasionsPerDay.count - 1))"
    }

    private var adherence: String {
        let quantiles = [10, 25, 50, 75, 90].map {
            "\($0) % of participants up to \(report.adherence(quantile: $0).map { "\($0) %" } ?? "–")"
        }
        return "Adherence of participants: \(quantiles.joined(separator: ", "))"
    }

    private var reminders: String {
        let busiest = report.calendar.max { ($0.value.reminders, $1.key) < ($1.value.reminders, $0.key) }
        let maximum = busiest.map { ", \($0.value.reminders) on the busiest day (\($0.key))" } ?? ""
        return
            "Reminders sent: \(report.total.reminders)\(maximum); they announce \(report.announcedAfterAnswer) occasions that were "
            + "already answered without network; \(report.delayedSheets) sheets and \(report.delayedWalks) walks reach the server late"
    }

    static func percent(_ value: Double?) -> String { value.map { "\($0) %" } ?? "–" }

    /// To two decimals.
    private static func text(_ value: Double) -> String {
        let hundredths = Int((value * 100).rounded())
        let rest = hundredths % 100
        return "\(hundredths / 100).\(rest < 10 ? "0" : "")\(rest)"
    }
}
