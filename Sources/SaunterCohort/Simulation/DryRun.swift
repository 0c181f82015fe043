import SaunterCore

/// A run that is small enough to be made while its caller waits, with what a page shows of it.
package struct DryRun: Sendable {
    /// The run that was made.
    package let simulation: Simulation
    /// The number of participants that was requested.
    package let requestedParticipants: Int
    /// The number of days that was requested.
    package let requestedDays: Int
    /// The figures of all participants.
    package let report: SimulationReport
    /// The number of messages in each hour of the day, by the participants' local times.
    package let messagesByHour: [Int]
    /// The participant whose course is shown; nil if the participant does not join before the end.
    package let shown: ParticipantSimulation?

    /// The maximum number of participants of a dry run.
    package static let maximumParticipants = 500

    /// Whether the run is smaller than requested.
    package var isShortened: Bool {
        simulation.participants < requestedParticipants || simulation.days < requestedDays
    }

    /// Runs the largest part of the requested run that is within the limit. The same options result in the same run.
    /// - Parameters:
    ///   - number: the participant whose course is shown, from 1; clamped.
    ///   - limit: see `SimulationWork`.
    /// - Throws: `CancellationError`.
    package static func run(
        _ options: SimulationOptions, of study: Study, hints: [String: AnswerHints],
        showing number: Int = 1, limit: Double = SimulationWork.limit
    ) async throws -> DryRun {
        let requested = options.simulation(of: study, hints: hints)
        let work = try await SimulationWork(of: options, in: study, limit: limit)
        let largest = work.largestRun(participants: options.participants, limit: limit)
        var options = options
        options.participants = largest.participants
        if largest.days < requested.days { options.days = largest.days }
        let simulation = options.simulation(of: study, hints: hints)
        let index = min(max(number, 1), simulation.participants) - 1
        var hours = Array(repeating: 0, count: 24)
        var shown: ParticipantSimulation?
        let report = try await simulation.run(workers: 1) { part, _ in
            for participant in part {
                if participant.course.index == index { shown = participant }
                for message in participant.reminders {
                    hours[participant.course.zone(at: message.at).local(of: message.at).time.hour] += 1
                }
            }
        }
        return DryRun(
            simulation: simulation, requestedParticipants: requested.participants,
            requestedDays: requested.days, report: report, messagesByHour: hours, shown: shown)
    }
}

// MARK: - JSON

extension DryRun {
    /// The run, its report and what a page shows. The member names are stable.
    /// - Parameter language: the language of titles.
    package func json(language: String) -> JSONObject {
        var object = simulation.summary(report)
        let calendar = report.calendar.sorted { $0.key < $1.key }
        object["day_count"] = .int(simulation.days)
        let requested: JSON = [
            "participants": .int(requestedParticipants), "day_count": .int(requestedDays),
        ]
        object["shortened"] = isShortened ? requested : JSON.null
        object["days"] = .array(
            calendar.map { date, day -> JSON in
                [
                    "date": .string(date.description), "open": .int(day.occasions),
                    "answered": .int(day.answered),
                ]
            })
        let burden = Burden(of: simulation.study, walksPerDay: simulation.behaviour.walksPerDay)
        object["by_arm"] = .array(
            report.arms.map { arm, figures -> JSON in
                [
                    "arm": arm.isEmpty ? .null : .string(arm), "participants": .int(figures.participants),
                    "adherence_percent": .optional(figures.adherencePercent, JSON.double),
                    "minutes_asked_per_day": .double(figures.minutesAskedPerDay),
                    "minutes_answered_per_day": .double(figures.minutesAnsweredPerDay),
                    "nominal_minutes_per_day": .double(
                        burden.minutesPerDay(arm: arm.isEmpty ? nil : arm)),
                ]
            })
        object["messages"] = [
            "days": .array(
                calendar.map { date, day -> JSON in
                    ["date": .string(date.description), "count": .int(day.reminders)]
                }),
            "hours": .array(
                messagesByHour.enumerated().map { ["hour": .int($0.offset), "count": .int($0.element)] }),
        ]
        object["timeline"] = .optional(shown) { timeline(of: $0, language: language) }
        return object
    }

    /// What happens to one participant on each day on which something happens.
    private func timeline(of participant: ParticipantSimulation, language: String) -> JSON {
        let course = participant.course
        func date(_ moment: Instant) -> LocalDate { course.zone(at: moment).local(of: moment).date }
        let occasions = Dictionary(grouping: participant.occasions.filter(\.isCounted), by: \.localDate)
        let sheets = Dictionary(grouping: participant.unscheduled) { date($0.at) }
        let messages = Dictionary(grouping: participant.reminders, by: \.date)
        let dates = Set(occasions.keys).union(sheets.keys).union(messages.keys).sorted()
        return [
            "participant": .int(course.index + 1), "arm": .optional(participant.arm, JSON.string),
            "joined_at": .string(course.joinedAt.description),
            "left_at": .optional(course.leavesAt) { .string($0.description) },
            "stops_answering_at": .optional(course.stopsAnsweringAt) { .string($0.description) },
            "days": .array(
                dates.map { date in
                    day(
                        date, of: participant, occasions[date] ?? [], sheets[date] ?? [],
                        messages[date] ?? [], language: language)
                }),
        ]
    }

    /// A sheet without an occasion.
    private typealias Sheet = (questionnaire: String, at: Instant, receivedAt: Instant)

    private func day(
        _ date: LocalDate, of participant: ParticipantSimulation, _ occasions: [Occasion], _ sheets: [Sheet],
        _ messages: [SimulatedReminder], language: String
    ) -> JSON {
        let course = participant.course
        let asked = occasions.map { json($0, at: participant.until, language: language) }
        let entries = sheets.sorted { $0.at < $1.at }.map { sheet -> JSON in
            [
                "questionnaire": .string(sheet.questionnaire),
                "title": .string(title(sheet.questionnaire, language)),
                "answered_at": .string(sheet.at.description),
                "time_zone": .string(course.zone(at: sheet.at).id),
            ]
        }
        let sent = messages.map { message -> JSON in
            [
                "at": .string(message.at.description),
                "time_zone": .string(course.zone(at: message.at).id), "occasions": .int(message.count),
                "rule": .optional(message.rule, JSON.string),
            ]
        }
        return [
            "date": .string(date.description),
            "study_day": .int(date.days - participant.enrolledOn.days), "occasions": .array(asked),
            "sheets": .array(entries), "messages": .array(sent),
        ]
    }

    private func json(_ occasion: Occasion, at now: Instant, language: String) -> JSON {
        [
            "schedule": .string(occasion.key.schedule), "questionnaire": .string(occasion.questionnaire),
            "title": .string(title(occasion.questionnaire, language)),
            "opens_at": .string(occasion.window.openAt.description),
            "due_at": .string(occasion.window.dueAt.description),
            "closes_at": .string(occasion.window.closeAt.description),
            "time_zone": .string(occasion.zone.id), "state": .string(occasion.state(at: now).rawValue),
            "answered_at": .optional(occasion.completedAt) { .string($0.description) },
        ]
    }

    private func title(_ questionnaire: String, _ language: String) -> String {
        simulation.study.questionnaire(questionnaire)?.text[language]?.title ?? questionnaire
    }
}
