import HTTPTypes
import SaunterCohort
import SaunterCore
import SaunterStore

/// The route that tries a study with simulated participants.
struct DryRunRoutes: Sendable {
    let context: ServerContext

    private static let version = QueryParameter(
        "version", .string(minLength: 1, maxLength: 20), "A published version. The default is the draft.")

    var run: Route {
        var route = Route(
            .post, "/v1/studies/{study}/draft/dry-run", who: .member, tag: "Drafts",
            summary: "Try the study with simulated participants",
            description: """
                Makes the run that `saunter simulate` makes: the engine of the server computes plans, messages, answers \
                and the decisions of rules. All participants join on one day and live in the zone of the study. Nothing \
                is stored. The same values return the same response. Any member of the study team can call the route. \
                In a blinded study, the caller must be permitted to see arms.

                A run that would take longer than some seconds is shortened: to fewer participants, but at least \
                \(SimulationWork.fewestParticipants), and then to fewer days. `participants` and `day_count` are then \
                those of the run that was made, and `shortened` contains the requested ones. An account can have one \
                run at a time. If the client closes the connection, the run ends.
                """,
            parameters: [.study], query: [Self.version],
            body: .json(
                Self.bodySchema,
                example: [
                    "participants": 100, "start": "2026-11-23", "adherence": 0.8, "dropout": 0.1, "seed": 1,
                ]),
            outcomes: [.json(.ok, "The result of the run.", Self.schema)],
            problems: [.notFound, .armsBlinded, .draftInvalid]
        ) { call in
            let rehearsed = try await context.rehearsedStudy(
                call.text("study"), version: call.query("version"), for: call.caller)
            let study = rehearsed.published.study
            let hints = try await hints(of: rehearsed)
            let options = Self.options(call)
            let language = context.language(
                call.headers[.acceptLanguage], of: study.languages, fallback: study.languages[0])
            let number = call.body["participant"]?.int ?? 1
            let result = try await context.work.dryRun(for: call.caller.account) {
                try await DryRun.run(options, of: study, hints: hints, showing: number)
                    .json(language: language)
            }
            var object: JSONObject = [
                "title": .string(study.text[language]?.title ?? study.code),
                "draft": .bool(rehearsed.isDraft),
            ]
            for member in result { object[member.name] = member.value }
            return .json(.ok, .object(object))
        }
        route.stopsWithConnection = true
        return route
    }

    private static func options(_ call: Call<Identity>) -> SimulationOptions {
        let body = call.body
        var behaviour = Behaviour()
        behaviour.adherence = body["adherence"]?.double ?? behaviour.adherence
        behaviour.dropout = body["dropout"]?.double ?? behaviour.dropout
        return SimulationOptions(
            participants: body["participants"]?.int ?? 1,
            start: body["start"]?.string.flatMap { LocalDate($0) } ?? Zone.utc.local(of: call.now).date,
            days: body["days"]?.int, behaviour: behaviour,
            seed: UInt64(clamping: body["seed"]?.int ?? 1))
    }

    /// How simulated participants answer, by code of the questionnaire.
    private func hints(of rehearsed: RehearsedStudy) async throws -> [String: AnswerHints] {
        let study = rehearsed.published.study
        var files = rehearsed.files
        if files == nil {
            files = try await context.store.findStudyFiles(study.code, version: study.version)?.files
        }
        do throws(AnswerHintFault) {
            return try AnswerHints.all(of: study, in: files ?? [:])
        } catch {
            throw Problem(
                .draftInvalid,
                Faults([Fault(pointer: "", code: "invalid_file", detail: error.description)]))
        }
    }
}

// MARK: - Schemas

extension DryRunRoutes {
    /// Greater shares and the participants who leave would be more than all.
    private static let maximumDropout = 1 - Behaviour().withdrawal

    private static let bodySchema = Schema.named(
        "DryRunRequest",
        .object([
            .required(
                "participants", .integer(min: 1, max: DryRun.maximumParticipants),
                "The number of simulated participants."),
            .optional(
                "days", .integer(min: 1, max: 2 * Study.maximumDays),
                "The length of the run. By default it ends with the study of the last participant."),
            .optional(
                "start", .string(format: .date),
                "The date on which participants join. The default is today, by UTC."),
            .optional(
                "adherence", .number(min: 0, max: 1),
                "The mean share of occasions that participants answer while they take part. The default is 0.8."
            ),
            .optional(
                "dropout", .number(min: 0, max: maximumDropout),
                "The share of participants who stop answering without leaving. The default is 0.1."),
            .optional(
                "seed", .integer(min: 0, max: 2_147_483_647),
                "Equal seeds produce equal runs. The default is 1."),
            .optional(
                "participant", .integer(min: 1, max: DryRun.maximumParticipants),
                "The number of the participant whose course is returned. The default is 1."),
        ]))

    private static let count = Schema.integer(min: 0)
    private static let minutes = Schema.number(min: 0)

    private static let schema = Schema.named(
        "DryRun",
        .object([
            .required("title", .string(), "The title of the study."),
            .required("draft", .boolean, "True for the draft, false for a published version."),
            .required("study", .string(format: .code), "The code of the study."),
            .required("version", .string(), "The version in the files of the study."),
            .required("seed", .string(), "The seed, as text."),
            .required("participants", .integer(min: 1), "The number of simulated participants."),
            .required("start", .string(format: .date), "The date on which participants join."),
            .required("until", .instant, "The end of the run."),
            .required("day_count", .integer(min: 1), "The length of the run in days."),
            .required(
                "shortened",
                .nullable(
                    .object([
                        .required("participants", .integer(min: 1), "The requested number of participants."),
                        .required("day_count", .integer(min: 1), "The requested length in days."),
                    ])), "What was requested, if the run is smaller; otherwise null."),
            .required(
                "nominal_burden",
                .array(
                    of: .object([
                        .required("arm", .string(), "The code of the arm."),
                        .required(
                            "minutes_per_day", minutes, "Minutes a day by the definition of the study."),
                    ])), "The burden that the study's definition states."),
            .required(
                "report", .map(of: .any),
                "The report in the form of `saunter simulate --json`, with figures by schedule, day and rule."
            ),
            .required(
                "days",
                .array(
                    of: .object([
                        .required("date", .string(format: .date), "The local date."),
                        .required("open", count, "The number of occasions of the date."),
                        .required("answered", count, "The number of these that are answered."),
                    ])), "The occasions of each date."),
            .required(
                "by_arm",
                .array(
                    of: .object([
                        .required(
                            "arm", .nullable(.string()), "The code of the arm; null if the study has none."),
                        .required("participants", count, "The number of participants in the arm."),
                        .required(
                            "adherence_percent", .nullable(.number(min: 0, max: 100)),
                            "Answered occasions in percent of settled ones; null if none is settled."),
                        .required(
                            "minutes_asked_per_day", minutes,
                            "The minutes of all occasions on a day of a participant."),
                        .required(
                            "minutes_answered_per_day", minutes,
                            "The minutes of all answers on a day of a participant."),
                        .required(
                            "nominal_minutes_per_day", minutes,
                            "The minutes a day by the definition of the study."),
                    ])), "Adherence and burden of each arm."),
            .required(
                "messages",
                .object([
                    .required(
                        "days",
                        .array(
                            of: .object([
                                .required("date", .string(format: .date), "The local date."),
                                .required("count", count, "The number of messages."),
                            ])), "The messages of each date."),
                    .required(
                        "hours",
                        .array(
                            of: .object([
                                .required(
                                    "hour", .integer(min: 0, max: 23), "The hour, by local time."),
                                .required("count", count, "The number of messages."),
                            ])), "The messages of each hour of the day."),
                ]), "The messages that are sent."),
            .required("timeline", .nullable(timelineSchema), "The course of one participant."),
        ]))

    private static let timelineSchema = Schema.named(
        "DryRunTimeline",
        .object([
            .required("participant", .integer(min: 1), "The number of the participant."),
            .required("arm", .nullable(.string()), "The code of the arm; null if the study has none."),
            .required("joined_at", .instant, "When the participant joins."),
            .required(
                "left_at", .nullable(.instant), "When the participant leaves the study; otherwise null."),
            .required(
                "stops_answering_at", .nullable(.instant),
                "When the participant stops answering without leaving; otherwise null."),
            .required(
                "days",
                .array(
                    of: .object([
                        .required("date", .string(format: .date), "The local date."),
                        .required(
                            "study_day", .integer(), "The number of the study day; 0 on the day of joining."),
                        .required("occasions", .array(of: occasion), "The occasions of the date."),
                        .required("sheets", .array(of: sheet), "Answers without an occasion."),
                        .required("messages", .array(of: message), "The messages that are sent."),
                    ])), "The days on which something happens."),
        ]))

    private static let occasion = Schema.object([
        .required("schedule", .string(), "The code of the schedule."),
        .required("questionnaire", .string(), "The code of the questionnaire."),
        .required("title", .string(), "The title of the questionnaire."),
        .required("opens_at", .instant, "When it opens."),
        .required("due_at", .instant, "Until when it is on time."),
        .required("closes_at", .instant, "When it closes."),
        .required("time_zone", .zone, "The zone of its times."),
        .required(
            "state", .string(values: OccasionState.allCases.map(\.rawValue)),
            "Its state at the end of the run."),
        .required("answered_at", .nullable(.instant), "When it is answered; null if it is not."),
    ])

    private static let sheet = Schema.object([
        .required("questionnaire", .string(), "The code of the questionnaire."),
        .required("title", .string(), "The title of the questionnaire."),
        .required("answered_at", .instant, "When it is answered."),
        .required("time_zone", .zone, "The participant's zone at that time."),
    ])

    private static let message = Schema.object([
        .required("at", .instant, "When it is sent."),
        .required("time_zone", .zone, "The participant's zone at that time."),
        .required("occasions", count, "The number of occasions that it announces."),
        .required(
            "rule", .nullable(.string()), "The code of the decision rule that sends it; null for a reminder."),
    ])
}
