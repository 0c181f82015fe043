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
            "local_date": .string(submission.localDate.description),
            "refers_to": .id(submission.refersTo), "source": .string(submission.source),
        ]
        scores = Self.shown(
            submission.scores, submission.language,
            keyed ?? study.questionnaires[submission.questionnaire]?.questionnaire)
    }

    /// - Parameters:
    ///   - keyed: the questionnaire version whose scoring key is active; nil for the sheet's own version.
    ///   - language: the language of the participant now, which is not always that of the answers.
    init(_ sheet: StoredSheet, in study: PublishedStudy, keyed: Questionnaire? = nil, language: String) {
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
            "local_date": .string(sheet.localDate.description),
            "refers_to": .id(sheet.refersTo), "source": .string(sheet.source),
        ]
        scores = Self.shown(
            sheet.scores, language, keyed ?? study.questionnaires[sheet.questionnaire]?.questionnaire)
    }

    /// - Parameter replayed: whether the submission was a replay; nil omits the member, for reads.
    func json(replayed: Bool?) -> JSON {
        var object = fields
        if let replayed { object["replayed"] = .bool(replayed) }
        object["scores"] = .array(scores)
        return .object(object)
    }

    /// The scores that the study shows to participants.
    static func shown(
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

    static let shownScoreSchema = Schema.named(
        "ShownScore",
        .object([
            .required("scale", .string(), "The code of the scale."),
            .required("label", .string(), "The name of the scale in the participant's language."),
            .required("value", .nullable(.number()), "The score; null if it is undefined."),
            .required(
                "reason", .nullable(.string(values: ScoreReason.allCases.map(\.rawValue))),
                "Why the score is undefined; null if it has a value."),
            .required(
                "exclusion", .nullable(.string()),
                "The exclusion rule of the scoring key that made the value null, if one did."),
            .required(
                "standard_error", .nullable(.number(min: 0)),
                "The standard error of a value that comes from a table of the scoring key."),
            .required(
                "band", .nullable(.string()),
                "The code of the band that contains the score; null if there is none."),
            .required(
                "band_label", .nullable(.string()),
                "The name of the band in the participant's language; null if there is none."),
            .required(
                "minimum", .nullable(.number()),
                "The lowest attainable score; null if it is not known."),
            .required(
                "maximum", .nullable(.number()),
                "The highest attainable score; null if it is not known."),
        ]))

    private static let fieldSchemas: [Schema.Member] = [
        .required("sheet_id", .id, "The id of the answer sheet, which the client created."),
        .required("questionnaire", .string(), "The code of the questionnaire."),
        .required("version", .string(), "The version of the questionnaire."),
        .required(
            "occasion_id", .nullable(.id), "The occasion that the sheet answers; null if it answers none."),
        .required(
            "revision", .integer(min: 1),
            "The revision: 1 for the submitted answers, and 1 more with each correction."),
        .required(
            "standing", .string(values: Timeliness.allCases.map(\.rawValue)),
            "When the sheet was completed, compared with the window of its occasion."),
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
            """
            Items whose answers the server removed, because the items were not to be shown, or because the participant \
            does not permit their kind of data.
            """),
        .required("started_at", .instant, "When the participant began, corrected for the device's clock."),
        .required(
            "completed_at", .instant, "When the participant finished, corrected for the device's clock."),
        .required("received_at", .instant, "When the server received the sheet, by the server's clock."),
        .required(
            "local_date", .string(format: .date),
            "The participant's local date when the sheet was completed, by the corrected clock."),
        .required(
            "refers_to", .nullable(.id), "The answer sheet that this sheet is about; null if there is none."),
        .required(
            "source", .string(),
            "Who wrote the sheet: `participant`, or the code of the partner that wrote it."),
        .required(
            "scores",
            .array(
                of: Self.shownScoreSchema), "The scores that the study shows to participants."),
    ]

    static let receiptSchema = Schema.named(
        "AnswerSheetReceipt",
        .object(
            fieldSchemas + [
                .required("replayed", .boolean, "True if the same sheet was already stored."),
                InsightResponse.feedbackMember,
            ]))

    static let detailSchema = Schema.named(
        "StoredAnswerSheet",
        .object(
            fieldSchemas + [
                .required(
                    "active", .nullable(.boolean),
                    """
                    Whether the sheet is the active entry of its questionnaire; null if the study does not define \
                    active entries for it.
                    """),
                .required("answers", .map(of: .any), "The answers of the current revision by `linkId`."),
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
