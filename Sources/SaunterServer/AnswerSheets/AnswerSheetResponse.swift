import SaunterCore
import SaunterStore

/// The response body for a sheet: its timeliness, its flags, and the scores that the study shows to participants.
struct AnswerSheetResponse {
    private var fields: JSONObject
    private var scores: [JSON]

    /// - Parameter keyed: the questionnaire version whose scoring key is active; nil for the sheet's own version.
    init(
        _ submission: SheetSubmission, duplicateOf: SheetID?, in study: PublishedStudy,
        keyed: Questionnaire? = nil
    ) {
        fields = [
            "sheet_id": .id(submission.sheet), "questionnaire": .string(submission.questionnaire),
            "version": .string(submission.version), "occasion_id": .id(submission.occasion), "revision": 1,
            "standing": .string(submission.timeliness.rawValue),
            "late_s": .optional(submission.lateS) { .int(Int($0)) }, "flags": .strings(submission.flags),
            "duplicate_of": .id(duplicateOf), "cleared": .strings(submission.cleared),
            "started_at": .instant(submission.startedAt), "completed_at": .instant(submission.completedAt),
            "received_at": .instant(submission.receivedAt),
        ]
        scores = Self.shown(
            submission.scores, submission.language,
            keyed ?? study.questionnaires[submission.questionnaire]?.questionnaire)
    }

    /// - Parameter keyed: the questionnaire version whose scoring key is active; nil for the sheet's own version.
    init(_ sheet: StoredSheet, in study: PublishedStudy, keyed: Questionnaire? = nil) {
        fields = [
            "sheet_id": .id(sheet.id), "questionnaire": .string(sheet.questionnaire),
            "version": .string(sheet.version), "occasion_id": .id(sheet.occasion),
            "revision": .int(sheet.revision),
            "standing": .string(sheet.timeliness.rawValue),
            "late_s": .optional(sheet.lateS) { .int(Int($0)) },
            "flags": .strings(sheet.flags), "duplicate_of": .id(sheet.duplicateOf),
            "cleared": .strings(sheet.cleared),
            "started_at": .instant(sheet.startedAt), "completed_at": .instant(sheet.completedAt),
            "received_at": .instant(sheet.receivedAt),
        ]
        scores = Self.shown(
            sheet.scores, sheet.language, keyed ?? study.questionnaires[sheet.questionnaire]?.questionnaire)
    }

    /// - Parameter replayed: whether the submission was a replay; nil omits the member, for reads.
    func json(replayed: Bool?) -> JSON {
        var object = fields
        if let replayed { object["replayed"] = .bool(replayed) }
        object["scores"] = .array(scores)
        return .object(object)
    }

    private static func shown(
        _ scores: [Score], _ language: String, _ questionnaire: Questionnaire?
    ) -> [JSON] {
        guard let questionnaire else { return [] }
        let text = questionnaire.text(in: language)
        return (questionnaire.scoring?.scales ?? []).filter(\.shownToParticipant).compactMap { scale in
            guard let score = scores.first(where: { $0.scale == scale.id }) else { return nil }
            return [
                "scale": .string(scale.id), "label": .string(text.scales[scale.id] ?? scale.id),
                "value": .optional(score.value, JSON.double),
                "reason": .optional(score.reason) { .string($0.rawValue) },
                "exclusion": .optional(score.exclusion, JSON.string),
                "standard_error": .optional(score.standardError, JSON.double),
                "band": .optional(score.band, JSON.string),
                "band_label": .optional(score.band.flatMap { text.bands[scale.id]?[$0] }, JSON.string),
                "minimum": .optional(scale.minimum, JSON.double),
                "maximum": .optional(scale.maximum, JSON.double),
            ]
        }
    }

    private static let fieldSchemas: [Schema.Member] = [
        .required("sheet_id", .id), .required("questionnaire", .string()), .required("version", .string()),
        .required("occasion_id", .nullable(.id)), .required("revision", .integer(min: 1)),
        .required("standing", .string(values: Timeliness.allCases.map(\.rawValue))),
        .required(
            "late_s", .nullable(.integer(min: 0)),
            "Seconds after the due time; null if the sheet was completed at or before it, or has no occasion."
        ),
        .required(
            "flags", .array(of: .string()),
            "Conditions that matter for the analysis of the data, such as `clock_skew`."),
        .required(
            "duplicate_of", .nullable(.id),
            "The sheet that had already fulfilled the occasion. This sheet is stored as its duplicate."),
        .required(
            "cleared", .array(of: .string()),
            "Items whose answers the server removed because the items were not to be shown."),
        .required("started_at", .instant), .required("completed_at", .instant),
        .required("received_at", .instant),
        .required(
            "scores",
            .array(
                of: .named(
                    "ShownScore",
                    .object([
                        .required("scale", .string()), .required("label", .string()),
                        .required("value", .nullable(.number())),
                        .required("reason", .nullable(.string(values: ScoreReason.allCases.map(\.rawValue)))),
                        .required(
                            "exclusion", .nullable(.string()),
                            "The exclusion rule of the scoring key that made the value null, if one did."),
                        .required(
                            "standard_error", .nullable(.number(min: 0)),
                            "The standard error of a value that comes from a table of the scoring key."),
                        .required("band", .nullable(.string())),
                        .required("band_label", .nullable(.string())),
                        .required("minimum", .nullable(.number())),
                        .required("maximum", .nullable(.number())),
                    ])))),
    ]

    static let receiptSchema = Schema.named(
        "AnswerSheetReceipt",
        .object(
            fieldSchemas + [.required("replayed", .boolean, "True if the same sheet was already stored.")]))

    static let detailSchema = Schema.named(
        "StoredAnswerSheet",
        .object(
            fieldSchemas + [
                .required("answers", .map(of: .any)),
                .required(
                    "reasons", .map(of: .any),
                    """
                    For each item without an answer, the reason. A repeating group with instances has a list of such \
                    objects.
                    """),
                .required(
                    "presented", .nullable(.map(of: .array(of: .string()))),
                    "The order in which shuffled options and items were shown, as the app recorded it."),
            ]))
}
