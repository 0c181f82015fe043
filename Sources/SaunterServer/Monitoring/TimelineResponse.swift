import SaunterCore
import SaunterStore

/// Writes the entries of a timeline.
struct TimelineResponse {
    private let published: PublishedStudy
    private let language: String
    private let enrolment: Enrolment
    private let arms: ArmView
    private let now: Instant
    /// The occasions of the participant by id.
    var occasions: [String: Occasion] = [:]
    /// The changes of the arm by ordinal.
    var armChanges: [String: ArmChange] = [:]
    /// The scores of sheets by the id of the sheet.
    var scores: [String: [(scale: String, value: Double?, band: String?)]] = [:]

    init(
        _ published: PublishedStudy, language: String, enrolment: Enrolment, arms: ArmView, now: Instant
    ) {
        self.published = published
        self.language = language
        self.enrolment = enrolment
        self.arms = arms
        self.now = now
    }

    /// Nil for an occasion or a change that another request has removed since the list was read.
    func json(_ entry: TimelineEntry) -> JSON? {
        var (state, questionnaire, detail) = (entry.state, entry.questionnaire, entry.detail ?? [:])
        switch entry.kind {
        case .occasion:
            guard let occasion = occasions[entry.id] else { return nil }
            state = occasion.state(at: now).rawValue
            questionnaire = occasion.questionnaire
            detail = self.detail(of: occasion)
        case .arm:
            guard let change = armChanges[entry.id] else { return nil }
            detail = self.detail(of: change)
        case .sheet: detail["scores"] = .array((scores[entry.id] ?? []).map { score(entry, $0) })
        default: break
        }
        return [
            "at": .instant(entry.at), "kind": .string(entry.kind.rawValue), "id": .string(entry.id),
            "title": .optional(questionnaire, title), "state": .optional(state, JSON.string),
            "detail": .object(detail),
        ]
    }

    private func title(of questionnaire: String) -> JSON {
        .string(texts(of: questionnaire)?.title ?? questionnaire)
    }

    private func texts(of questionnaire: String) -> QuestionnaireText? {
        published.questionnaires[questionnaire]?.questionnaire.text(in: language)
    }

    private func score(
        _ entry: TimelineEntry, _ score: (scale: String, value: Double?, band: String?)
    ) -> JSON {
        let texts = entry.questionnaire.flatMap { self.texts(of: $0) }
        return [
            "scale": .string(score.scale), "label": .string(texts?.scales[score.scale] ?? score.scale),
            "value": .optional(score.value, JSON.double),
            "band": .optional(score.band, JSON.string),
        ]
    }

    private func detail(of occasion: Occasion) -> JSONObject {
        [
            "questionnaire": .string(occasion.questionnaire), "schedule": .string(occasion.key.schedule),
            "study_day": .int(occasion.localDate.days - enrolment.enrolledOn.days),
            "local_date": .string(occasion.localDate.description),
            "due_at": .instant(occasion.window.dueAt), "close_at": .instant(occasion.window.closeAt),
            "completed_at": .instant(occasion.completedAt), "sheet_id": .id(occasion.sheetID),
        ]
    }

    private func detail(of change: ArmChange) -> JSONObject {
        [
            "from_arm": arms.json(change.from), "to_arm": arms.json(change.to),
            "reason": arms.reason(change.reason), "changed_by": .id(change.by),
        ]
    }

    // MARK: Schemas

    static let schema = Schema.named(
        "TimelineEntry",
        .object([
            .required("at", .instant, "When it happened."),
            .required(
                "kind", .string(values: TimelineKind.allCases.map(\.rawValue)), "What the entry is about."),
            .required("id", .string(), "The id of the record, or another name that is unique in its kind."),
            .required(
                "title", .nullable(.string()),
                "The title of the questionnaire of an occasion or sheet; null for all other kinds."),
            .required(
                "state", .nullable(.string()),
                """
                What became of it: the state of an occasion, `standing` or `deleted` for a sheet, the state of an edit or \
                a message, the outcome of a decision, `open` or `acknowledged` for an alert, `open` or `ended` for a \
                pause, `granted` or `revoked` for a permission; null for all other kinds.
                """),
            .required("detail", .anyOf(details), "What is known about it; its members depend on the kind."),
        ]))

    private static let received = Schema.Member.required(
        "received_at", .instant, "When the server received it.")
    private static let optionalNumber = Schema.nullable(.number())

    private static let details: [Schema] = [
        occasionSchema, sheetSchema, editSchema, walkSchema, calibrationSchema, observationSchema,
        messageSchema, decisionSchema, alertSchema, consentSchema, armSchema, zoneSchema, pauseSchema,
        eventSchema, dataKindSchema,
    ]

    private static let occasionSchema = Schema.named(
        "TimelineOccasion",
        .object([
            .required("questionnaire", .string(), "The code of the questionnaire."),
            .required("schedule", .string(), "The schedule that planned it."),
            .required("study_day", .integer(), "The day of the study."),
            .required("local_date", .string(format: .date), "The participant's local date."),
            .required("due_at", .instant, "Until when an answer is on time."),
            .required("close_at", .instant, "When the window closes."),
            .required("completed_at", .nullable(.instant), "When it was answered; null if it is not."),
            .required("sheet_id", .nullable(.id), "The sheet that fulfils it; null for none."),
        ]))

    private static let sheetSchema = Schema.named(
        "TimelineSheet",
        .object([
            .required("questionnaire", .string(), "The code of the questionnaire."),
            .required("version", .string(), "The version of the questionnaire."),
            .required("revision", .integer(min: 1), "The newest revision."),
            .required("occasion_id", .nullable(.id), "The occasion that the sheet answers; null for none."),
            .required(
                "standing", .string(values: Timeliness.allCases.map(\.rawValue)),
                "When the sheet was completed, compared with the window of its occasion."),
            .required(
                "late_s", .nullable(.integer(min: 0)), "Seconds after the due time; null if it is not late."),
            .required("flags", .array(of: .string()), "Conditions that matter for the analysis."),
            .required("duplicate_of", .nullable(.id), "The sheet of which it is a duplicate; null for none."),
            .required("source", .string(), "Who wrote the sheet."),
            received,
            .required("deleted_at", .nullable(.instant), "When it was deleted; null if it is not."),
            .required(
                "scores",
                .array(
                    of: .object([
                        .required("scale", .string(), "The code of the scale."),
                        .required("label", .string(), "The name of the scale."),
                        .required("value", optionalNumber, "The score; null if it is undefined."),
                        .required(
                            "band", .nullable(.string()), "The code of the band; null if there is none."),
                    ])), "The scores by the newest key."),
        ]))

    private static let editSchema = Schema.named(
        "TimelineEdit",
        .object([
            .required("change", .string(values: ["correction", "deletion"]), "What the edit does."),
            .required("subject", .string(), "The kind of the edited record."),
            .required("subject_id", .id, "The id of the edited record."),
            .required("revision", .nullable(.integer(min: 1)), "The revision that it made; null for none."),
            received,
        ]))

    private static let walkSchema = Schema.named(
        "TimelineWalk",
        .object([
            .required("ended_at", .instant, "When the walk ended."),
            .required("active_s", .number(min: 0), "Seconds without pauses."),
            .required("distance_m", optionalNumber, "Metres; null if not known."),
            .required("mean_speed_kmh", optionalNumber, "The mean speed; null if not known."),
            .required("mean_heart_rate_bpm", optionalNumber, "The mean heart rate; null if not known."),
            .required("target_speed_kmh", optionalNumber, "The target speed; null for none."),
            .required("above_target_s", optionalNumber, "Seconds above the target speed; null without one."),
            .required(
                "above_target_count", .nullable(.integer(min: 0)),
                "How many times the speed rose above the target; null without one."),
            .required("coverage", optionalNumber, "The share of the time with a speed; null if not known."),
            .required("flags", .array(of: .string()), "Conditions that matter for the analysis."),
            received,
        ]))

    private static let calibrationSchema = Schema.named(
        "TimelineCalibration",
        .object([
            .required("mean_speed_kmh", .number(min: 0), "The mean speed of the usual walk."),
            .required("reduction_percent", .number(), "How much slower the target is."),
            .required("target_speed_kmh", .number(min: 0), "The target speed."),
            .required("duration_s", .number(min: 0), "The duration of the calibration in seconds."),
            received,
        ]))

    private static let observationSchema = Schema.named(
        "TimelineObservation",
        .object([
            .required("system", .string(), "The code system."),
            .required("code", .string(), "What was observed."),
            .required("ended_at", .instant, "When it ended."),
            received,
        ]))

    private static let messageSchema = Schema.named(
        "TimelineMessage",
        .object([
            .required("reminders", .array(of: .string()), "The kinds of the reminders in the message."),
            .required("rule", .nullable(.string()), "The rule that sent it; null for other messages."),
            .required(
                "broadcast_id", .nullable(.id), "The message of the study team; null for other messages."),
            .required("reason", .nullable(.string()), "Why it was not sent; null if it was."),
            .required(
                "channels", .array(of: .string()),
                "The channels that tried to send it; empty for a message that is only in the inbox."),
            .required("sent_at", .nullable(.instant), "When a channel accepted it; null if none did."),
            .required("delivered_at", .nullable(.instant), "When a device received it; null if not known."),
            .required("opened_at", .nullable(.instant), "When it was opened; null if it was not."),
            .required(
                "acted_at", .nullable(.instant),
                "When the participant followed it; null if it was not followed."),
            .required("dismissed_at", .nullable(.instant), "When it was dismissed; null if it was not."),
        ]))

    private static let decisionSchema = Schema.named(
        "TimelineDecision",
        .object([
            .required("rule", .string(), "The code of the rule."),
            .required("point", .string(), "The name of the decision point."),
            .required("key", .string(), "The element or key of the rule; empty for none."),
            .required("available", .boolean, "Whether the action was possible before the draw."),
            .required("moment", .instant, "When the decision point was."),
            .required("message_id", .nullable(.id), "The message that was sent; null for none."),
        ]))

    private static let alertSchema = Schema.named(
        "TimelineAlert",
        .object([
            .required("rule", .string(), "The code of the rule that raised it."),
            .required("about", .string(), "The reason, a code of the study."),
            .required("notices", .integer(min: 0), "How many times the study team was informed by mail."),
            .required(
                "acknowledged_at", .nullable(.instant),
                "When a coordinator acknowledged it; null while it is open."),
        ]))

    private static let consentSchema = Schema.named(
        "TimelineConsent",
        .object([
            .required("version", .string(), "The version of the consent text."),
            .required("study_version", .string(), "The study version at the consent."),
            .required("language", .string(), "The language of the text."),
        ]))

    private static let armSchema = Schema.named(
        "TimelineArm",
        .object([
            .required("from_arm", .string(), "The arm before the change."),
            .required("to_arm", .string(), "The arm after the change."),
            .required(
                "reason", .nullable(.string()),
                "The reason that the researcher gave; null if the caller may not read it."),
            .required("changed_by", .uuid, "The id of the account."),
        ]))

    private static let zoneSchema = Schema.named(
        "TimelineZone",
        .object([
            .required("time_zone", .zone, "The zone after the change."),
            .required("former_time_zone", .zone, "The zone before the change."),
            .required("source", .string(), "Who reported it."),
        ]))

    private static let pauseSchema = Schema.named(
        "TimelinePause",
        .object([.required("to", .nullable(.instant), "When the pause ended; null while it has no end.")]))

    private static let eventSchema = Schema.named(
        "TimelineEvent",
        .object([
            .required("event", .string(), "The code of the event."),
            .required("revision", .integer(min: 1), "How many times its instant was reported."),
            .required("recorded_at", .instant, "When the instant was reported."),
        ]))

    private static let dataKindSchema = Schema.named(
        "TimelineDataKind",
        .object([.required("data_kind", .string(), "The code of the kind of data.")]))
}
