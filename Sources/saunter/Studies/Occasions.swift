import ArgumentParser
import Console
import Foundation
import SaunterCore

/// Shows the planned occasions of one participant. Uses the same planner as the server.
struct Occasions: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show the planned occasions of one simulated participant.",
        discussion: """
            Needs no database. Random times are derived from the seed. Occasions that follow a walk, a sheet or an event are shown \
            only for those in the arguments.

            Example: saunter occasions Questionnaires/studies/mindful-walking \
            --enrolled-at 2026-11-21T09:00:00Z --zone Europe/Berlin --arm control --days 7 \
            --travel 2026-11-24T12:00:00Z=Asia/Tokyo --walk 2026-11-22T15:30:00Z
            """)

    @Argument(help: "The study's folder, studies/<code>.")
    var path: String
    @Option(
        help: "The instant of enrolment in RFC 3339, such as 2026-11-21T09:00:00Z.",
        transform: ArgumentValue.instant)
    var enrolledAt: Instant
    @Option(help: "The participant's time zone, such as Europe/Berlin.", transform: ArgumentValue.zone)
    var zone: Zone
    @Option(help: "The arm; unset: the first arm of the study.")
    var arm: String?
    @Option(help: "Any text; the same text produces the same random times.")
    var seed = "saunter"
    @Option(help: "The number of days from enrolment; unset: the whole study.")
    var days: Int?
    @OptionGroup(title: "Course") var course: CourseOptions
    @Flag(help: "Print JSON.") var json = false

    func validate() throws {
        if let days, !(0...10_000).contains(days) {
            throw ValidationError("--days must be a number from 0 to 10000")
        }
    }

    func run() throws {
        let study = try PackFolder.study(at: path)
        let arms = study.arms.map(\.code)
        if let arm, !arms.contains(arm) {
            throw CommandFault("the study has no arm \(arm): it has \(arms.joined(separator: ", "))")
        }
        let planner = Planner(
            try course.input(
                study, arm: arm ?? arms.first, enrolledAt: enrolledAt, zone: zone, seed: seed))
        let first = planner.enrolmentDate
        let occasions = course.answered(
            planner.occasions(
                from: .minimum, through: first.adding(days: days.map { max(0, $0 - 1) } ?? study.days)))
        if json {
            Terminal.line(self.json(occasions, planner).text)
        } else {
            show(occasions, planner)
        }
    }

    private func show(_ occasions: [Occasion], _ planner: Planner) {
        var table = TextTable(["date", "opens", "due", "closes", "questionnaire", "schedule", "remark"])
        for occasion in occasions {
            let window = occasion.window
            let zone = occasion.zone == self.zone ? "" : occasion.zone.id
            let remarks = [
                course.at.map { occasion.state(at: $0).rawValue } ?? occasion.exclusion?.rawValue ?? "",
                occasion.isDSTAdjusted ? "clock change" : "", zone,
            ]
            table.append([
                occasion.localDate.description, local(window.openAt, occasion), local(window.dueAt, occasion),
                local(window.closeAt, occasion), occasion.questionnaire, occasion.key.schedule,
                remarks.filter { !$0.isEmpty }.joined(separator: ", "),
            ])
        }
        for line in table.lines { Terminal.line(line) }
        for schedule in planner.notApplicable {
            Terminal.line("\(schedule): not applicable, because its anchor or its phase has not occurred")
        }
        if let now = course.at {
            let (adherence, streak) = results(occasions, planner, at: now)
            Terminal.line(
                "at \(now): \(adherence.completed) of \(adherence.settled) settled occasions answered "
                    + "(\(SimulationText.percent(adherence.adherence))), \(adherence.onTime) on time "
                    + "(\(SimulationText.percent(adherence.onTimePercent))), live \(adherence.live) %; "
                    + "streak \(streak.current), best \(streak.best)")
        }
    }

    /// The adherence and the streak at an instant.
    private func results(
        _ occasions: [Occasion], _ planner: Planner, at now: Instant
    ) -> (adherence: Adherence, streak: Streak) {
        let today = planner.zone(at: now).local(of: now).date
        let skippedDates = Streak.datesSkippedByTravel(in: planner.input.zones)
        return (
            Adherence(occasions: occasions, at: now),
            Streak(occasions: occasions, at: now, today: today, skippedByTravel: skippedDates)
        )
    }

    private func json(_ occasions: [Occasion], _ planner: Planner) -> JSON {
        var object: JSONObject = [
            "enrolment_id": .string(planner.input.enrolmentID.description),
            "items": .array(occasions.map { $0.json(at: course.at) }),
            "not_applicable": .array(planner.notApplicable.map(JSON.string)),
            "walk_ids": .array(course.walkIDs(seed).map { .string($0.description) }),
            "sheet_ids": .array(course.sheetIDs(seed).map { .string($0.description) }),
        ]
        if let now = course.at {
            let (adherence, streak) = results(occasions, planner, at: now)
            object["adherence"] = [
                "settled": .int(adherence.settled), "completed": .int(adherence.completed),
                "on_time": .int(adherence.onTime), "live_percent": .int(adherence.live),
                "adherence_percent": .optional(adherence.adherence, JSON.double),
                "on_time_percent": .optional(adherence.onTimePercent, JSON.double),
            ]
            object["streak"] = ["current": .int(streak.current), "best": .int(streak.best)]
        }
        return .object(object)
    }

    /// The local time. Includes the date if it differs from the occasion's date, and the offset if the local time
    /// occurs twice on that day.
    private func local(_ instant: Instant, _ occasion: Occasion) -> String {
        let local = occasion.zone.local(of: instant)
        let date = local.date == occasion.localDate ? "" : "\(local.date) "
        let time = "\(date)\(local.time.description.prefix(5))"
        guard
            case .instants(let first, let last, _) = LocalResolver.resolve(
                date: local.date, secondsOfDay: local.time.seconds, zone: occasion.zone), first != last
        else { return time }
        let minutes = occasion.zone.offset(at: instant) / 60
        return time + String(format: " %+03d:%02d", minutes / 60, abs(minutes % 60))
    }
}

extension Occasion {
    /// The occasion with the member names of the API.
    fileprivate func json(at now: Instant?) -> JSON {
        var object: JSONObject = [
            "occasion_id": .string(id.description), "questionnaire": .string(questionnaire),
            "schedule": .string(key.schedule), "anchor_instance": .string(key.anchorInstance),
            "day": .int(key.dayIndex), "slot": .int(key.slotIndex),
            "local_date": .string(localDate.description), "time_zone": .string(zone.id),
            "visible_at": .string(window.visibleAt.description),
            "opens_at": .string(window.openAt.description),
            "due_at": .string(window.dueAt.description), "closes_at": .string(window.closeAt.description),
            "dst_adjusted": .bool(isDSTAdjusted), "set_aside": .optional(exclusion?.rawValue, JSON.string),
        ]
        if let now { object["state"] = .string(state(at: now).rawValue) }
        return .object(object)
    }
}
