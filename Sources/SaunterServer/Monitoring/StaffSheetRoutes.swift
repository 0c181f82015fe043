import HTTPTypes
import SaunterCore
import SaunterStore

/// The route for one answer sheet of a participant, for researchers.
struct StaffSheetRoutes: Sendable {
    let context: ServerContext

    var get: Route {
        Route(
            .get, "/v1/studies/{study}/participants/{participant}/answer-sheets/{sheet_id}", who: .researcher,
            tag: "Monitoring", summary: "Get an answer sheet of a participant",
            description: """
                The answers of one revision with the questionnaire as it was asked, the reasons of blanks, every score \
                that was computed with the version of its key, flags, timings and the list of revisions. Texts are in \
                the language of `Accept-Language`. As in the profile `coded` of datasets, the current free text is \
                included, and coordinates have one decimal place. Earlier revisions of free text, the reasons for them, \
                the description of the device and exact coordinates need the right to export the profile `full`: without \
                it, the items have the reason `redacted`. A deleted sheet has no answers and no scores.
                """,
            parameters: [.study, ArmRoutes.participant, AnswerSheetRoutes.sheetParameter],
            query: [
                QueryParameter(
                    "revision", .integer(min: 1, max: 1_000_000),
                    "The revision. The default is the newest one.")
            ],
            outcomes: [.json(.ok, "The revision of the sheet.", Self.schema)], problems: [.notFound]
        ) { call in
            let enrolment = try await context.fetchParticipant(call)
            guard
                let record = try await context.store.findSheetRecord(
                    try call.id("sheet_id"), of: enrolment.id, revision: call.queryInt("revision"))
            else { throw Problem(.notFound) }
            let right = call.caller.grant(.researcher, study: enrolment.study)
            return .json(
                .ok, try await json(record, of: enrolment, readsAll: right?.fullExport ?? false, call))
        }
    }

    private func json(
        _ record: SheetRecord, of enrolment: Enrolment, readsAll: Bool, _ call: Call<Identity>
    ) async throws -> JSON {
        let sheet = record.sheet
        let published = try await AnswerSheetService(context: context).study(of: sheet, enrolment)
        guard let known = published.questionnaires[sheet.questionnaire] else { throw Problem(.internalError) }
        let language = context.language(
            call.headers[.acceptLanguage], of: published.study.languages, fallback: sheet.language)
        let answers =
            sheet.deletedAt == nil
            ? try StaffAnswers(record, known, readsAll: readsAll) : StaffAnswers(answers: [:], reasons: [:])
        return [
            "participant_id": .string(enrolment.participantID), "sheet_id": .id(sheet.id),
            "questionnaire": .string(sheet.questionnaire), "version": .string(sheet.version),
            "study_version": .string(sheet.studyVersion), "language": .string(sheet.language),
            "revision": .int(sheet.revision), "current": .bool(record.isCurrent),
            "occasion_id": .id(sheet.occasion), "walk_id": .id(sheet.walk), "refers_to": .id(sheet.refersTo),
            "source": .string(sheet.source), "standing": .string(sheet.timeliness.rawValue),
            "late_s": .optional(sheet.lateS) { .int(Int($0)) }, "flags": .strings(sheet.flags),
            "cleared": .strings(sheet.cleared), "duplicate_of": .id(sheet.duplicateOf),
            "started_at": .instant(
                sheet.startedAt.adding(
                    milliseconds: sheet.correctedCompletedAt.milliseconds(since: sheet.completedAt))),
            "completed_at": .instant(sheet.correctedCompletedAt), "received_at": .instant(sheet.receivedAt),
            "deleted_at": .instant(sheet.deletedAt), "time_zone": .string(sheet.zone.id),
            "local_date": .string(sheet.localDate.description),
            "form": known.form(in: published, language: language),
            "answers": .object(answers.answers), "reasons": .object(answers.reasons),
            "presented": sheet.presented ?? .null,
            "timings": sheet.deletedAt == nil ? record.timings ?? .null : .null,
            "device": readsAll ? record.device ?? .null : .null,
            "scores": .array(
                sheet.deletedAt == nil
                    ? scores(record.scores, known.questionnaire.text(in: language)) : []),
            "revisions": .array(
                record.revisions.map { revision in
                    let mayRead = readsAll || revision.number == record.revisions.last?.number
                    return [
                        "revision": .int(revision.number), "made_at": .instant(revision.madeAt),
                        "reason": .optional(mayRead ? revision.reason : nil, JSON.string),
                    ]
                }),
        ]
    }

    private func scores(_ scores: [SheetRecord.KeyedScore], _ text: QuestionnaireText) -> [JSON] {
        var scales: Set<String> = []
        return scores.map { keyed in
            let score = keyed.score
            return [
                "scale": .string(score.scale), "label": .string(text.scales[score.scale] ?? score.scale),
                "value": .optional(score.value, JSON.double),
                "reason": .optional(score.reason) { .string($0.rawValue) },
                "exclusion": .optional(score.exclusion, JSON.string),
                "standard_error": .optional(score.standardError, JSON.double),
                "band": .optional(score.band, JSON.string),
                "band_label": .optional(score.band.flatMap { text.bands[score.scale]?[$0] }, JSON.string),
                "items": .int(score.itemCount), "answered": .int(score.answeredCount),
                "imputed": .int(score.imputedCount),
                "key_version": .string(keyed.keyVersion), "key_digest": .string(keyed.keyDigest),
                "engine_version": .string(keyed.engineVersion), "computed_at": .instant(keyed.computedAt),
                "newest": .bool(scales.insert(score.scale).inserted),
            ]
        }
    }

    private static let schema = Schema.named(
        "StaffAnswerSheet",
        .object([
            .required("participant_id", .string(), "The pseudonym of the participant."),
            .required("sheet_id", .id, "The id of the answer sheet."),
            .required("questionnaire", .string(), "The code of the questionnaire."),
            .required("version", .string(), "The version of the questionnaire."),
            .required("study_version", .string(), "The study version under which it was answered."),
            .required("language", .string(), "The language in which it was answered."),
            .required("revision", .integer(min: 1), "The revision of the answers."),
            .required("current", .boolean, "Whether this is the newest revision."),
            .required("occasion_id", .nullable(.id), "The occasion that the sheet answers; null for none."),
            .required("walk_id", .nullable(.id), "The walk that the sheet is about; null for none."),
            .required("refers_to", .nullable(.id), "The sheet that this sheet is about; null for none."),
            .required("source", .string(), "Who wrote the sheet."),
            .required(
                "standing", .string(values: Timeliness.allCases.map(\.rawValue)),
                "When the sheet was completed, compared with the window of its occasion."),
            .required(
                "late_s", .nullable(.integer(min: 0)), "Seconds after the due time; null if it is not late."),
            .required(
                "flags", .array(of: .string()),
                "Conditions that matter for the analysis, such as `clock_skew`."),
            .required("cleared", .array(of: .string()), "Items whose answers the server removed."),
            .required("duplicate_of", .nullable(.id), "The sheet of which it is a duplicate; null for none."),
            .required(
                "started_at", .instant, "When the participant began, corrected for the device's clock."),
            .required(
                "completed_at", .instant, "When the participant finished, corrected for the device's clock."),
            .required("received_at", .instant, "When the server received the sheet."),
            .required(
                "deleted_at", .nullable(.instant), "When the participant deleted it; null if not deleted."),
            .required("time_zone", .zone, "The participant's time zone at the completion."),
            .required(
                "local_date", .string(format: .date), "The participant's local date at the completion."),
            .required(
                "form", .map(of: .any),
                "The questionnaire as it was asked, as `GET /v1/enrolments/{id}/questionnaires/{code}` returns it."
            ),
            .required("answers", .map(of: .any), "The answers of the revision by `linkId`."),
            .required("reasons", .map(of: .any), "For each item without an answer, the reason."),
            .required(
                "presented", .nullable(.map(of: .array(of: .string()))),
                "The order in which shuffled options and items were shown; null if the app recorded none."),
            .required(
                "timings", .nullable(.map(of: .any)), "Milliseconds by item; null if the app recorded none."),
            .required(
                "device", .nullable(.map(of: .any)),
                "The description of the device; null without the right to the profile `full`."),
            .required(
                "scores", .array(of: scoreSchema),
                "Every score that was computed for this revision, also by earlier keys."),
            .required(
                "revisions",
                .array(
                    of: .object([
                        .required("revision", .integer(min: 1), "The number of the revision."),
                        .required("made_at", .instant, "When it arrived or was made."),
                        .required(
                            "reason", .nullable(.string()), "Why the participant made it; null if not stated."
                        ),
                    ])), "All revisions, the oldest first."),
        ]))

    private static let scoreSchema = Schema.named(
        "StaffScore",
        .object([
            .required("scale", .string(), "The code of the scale."),
            .required("label", .string(), "The name of the scale."),
            .required("value", .nullable(.number()), "The score; null if it is undefined."),
            .required(
                "reason", .nullable(.string(values: ScoreReason.allCases.map(\.rawValue))),
                "Why the score is undefined; null if it has a value."),
            .required("exclusion", .nullable(.string()), "The exclusion rule that made the value null."),
            .required("standard_error", .nullable(.number(min: 0)), "The standard error; null if not known."),
            .required("band", .nullable(.string()), "The code of the band; null if there is none."),
            .required("band_label", .nullable(.string()), "The name of the band; null if there is none."),
            .required("items", .integer(min: 0), "The number of items of the scale."),
            .required("answered", .integer(min: 0), "The number of these items that have a value."),
            .required(
                "imputed", .integer(min: 0), "The number of items whose value was prorated or imputed."),
            .required("key_version", .string(), "The version of the scoring key."),
            .required("key_digest", .string(), "The SHA-256 of the scoring key."),
            .required("engine_version", .string(), "The version of the scoring engine."),
            .required("computed_at", .instant, "When the score was computed."),
            .required("newest", .boolean, "Whether no later score of this scale exists."),
        ]))
}

/// The answers of one revision as a researcher may read them.
struct StaffAnswers {
    /// Steps per degree of coordinates without the right to the profile `full`: one decimal place, as in `coded`.
    private static let codedSteps = 10.0

    var answers: JSONObject
    var reasons: JSONObject

    init(answers: JSONObject, reasons: JSONObject) {
        self.answers = answers
        self.reasons = reasons
    }

    /// - Parameter readsAll: whether the researcher may read the profile `full`. Otherwise the free text of an earlier
    ///   revision is redacted, and coordinates are rounded.
    /// - Throws: if the stored answers do not fit the questionnaire.
    init(_ record: SheetRecord, _ known: PublishedQuestionnaire, readsAll: Bool) throws {
        var stored = record.sheet.answers
        if !readsAll, !record.isCurrent {
            let texts = Set(stored.texts.keys.map { String($0.prefix { $0 != "." }) })
            stored = try known.codec.purging(texts, from: stored, as: .redacted)?.answers ?? stored
        }
        let sheet = try known.codec.decode(stored)
        self.init(
            answers: readsAll ? sheet.json : Self.rounded(sheet.json, items: known.questionnaire.item),
            reasons: sheet.reasons)
    }

    /// The answers with rounded coordinates.
    /// - Parameter items: the items of the questionnaire.
    static func rounded(_ answers: JSONObject, items: [Item]) -> JSONObject {
        func locations(_ items: [Item]) -> [String] {
            items.flatMap { ($0.type == .location ? [$0.linkId] : []) + locations($0.item) }
        }
        let places = Set(locations(items))
        return places.isEmpty ? answers : rounded(answers, places)
    }

    private static func rounded(_ answers: JSONObject, _ items: Set<String>) -> JSONObject {
        JSONObject(
            answers.map { member in
                var member = member
                if items.contains(member.name) {
                    member.value = rounded(member.value)
                } else if let instances = member.value.array {
                    member.value = .array(
                        instances.map { $0.object.map { .object(rounded($0, items)) } ?? $0 })
                }
                return member
            })
    }

    private static func rounded(_ location: JSON) -> JSON {
        if let elements = location.array { return .array(elements.map(rounded)) }
        guard var object = location.object else { return location }
        for name in ["lat", "lon"] {
            guard let degrees = object[name]?.double else { continue }
            object[name] = .double((degrees * codedSteps).rounded() / codedSteps)
        }
        return .object(object)
    }
}
