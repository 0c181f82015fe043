import HTTPTypes
import SaunterCore
import SaunterStore

/// The route for the single scores of a study.
struct ScoreRoutes: Sendable {
    let context: ServerContext

    var list: Route {
        Route(
            .get, "/v1/studies/{study}/scores", who: .researcher, tag: "Statistics",
            summary: "List the scores of a study",
            description: """
                One row for each scale of each sheet that the statistics cover, sorted by pseudonym, completion and \
                scale. The score is that of the newest key. Helper scales, and participants who left with `exclude` or \
                `erase`, are left out. Names of scales are in the language of `Accept-Language`.
                """,
            parameters: [.study],
            query: [
                QueryParameter(
                    "questionnaire", .string(minLength: 1, maxLength: 24),
                    "Only scores of the questionnaire with this code."),
                QueryParameter("scale", .string(minLength: 1, maxLength: 100), "Only scores of this scale."),
                QueryParameter(
                    "arm", .string(minLength: 1, maxLength: 100), "Only participants of this arm."),
                QueryParameter(
                    "participant", .string(minLength: 1, maxLength: 100),
                    "Only the participant with this pseudonym."),
                .limit, .cursor,
            ],
            outcomes: [
                .json(
                    .ok, "Scores that fit all filters.",
                    .page(
                        of: Self.schema,
                        [
                            .required("as_of", .instant, "The instant of the list."),
                            .required(
                                "arms", .array(of: .string()), "The arms of the live version of the study."),
                            .required(
                                "scales",
                                .array(
                                    of: .object([
                                        .required(
                                            "questionnaire", .string(), "The code of the questionnaire."),
                                        .required("scale", .string(), "The code of the scale."),
                                        .required("label", .string(), "The name of the scale."),
                                    ])), "The scales of the questionnaires that the query selects."),
                        ]))
            ], problems: [.notFound]
        ) { call in
            guard let live = try await context.catalogue.findLive(call.text("study")) else {
                throw Problem(.notFound)
            }
            let study = live.published.study
            let code = call.query("questionnaire")
            let questionnaires = try await context.scoredQuestionnaires(call).filter {
                code == nil || $0.code == code
            }
            let arms = try await context.armView(of: study.code, for: call.caller)
            let all = questionnaires.flatMap { questionnaire in
                questionnaire.scales.map { (questionnaire: questionnaire.code, scale: $0) }
            }
            let wanted = call.query("scale")
            let filter = StudyScoreFilter(
                scales: all.filter { wanted == nil || wanted == $0.scale },
                // No arm has an empty code, so a name that no arm has finds no scores.
                arm: call.query("arm").map { arms.code($0) ?? "" }, participantID: call.query("participant"))
            func label(_ scale: String, of code: String) -> JSON {
                .string(questionnaires.first { $0.code == code }?.label(scale) ?? scale)
            }
            let position = try Self.position(call)
            let found =
                filter.scales.isEmpty
                ? []
                : try await context.store.listScores(
                    of: study.code, filter, after: position, limit: call.pageLimit + 1)
            let page = found.prefix(call.pageLimit)
            let next = found.count > page.count ? page.last.map { Self.cursor($0.position) } : nil
            return .page(
                page.map {
                    Self.json($0, label: label($0.position.scale, of: $0.questionnaire), arms)
                }, next: next,
                path: "/v1/studies/\(study.code)/scores", query: call.pageQuery,
                publicURL: context.configuration.publicURL,
                more: [
                    "as_of": .instant(call.now),
                    "arms": .array(arms.names(of: study).map(JSON.string)),
                    "scales": .array(
                        all.map { code, scale in
                            [
                                "questionnaire": .string(code), "scale": .string(scale),
                                "label": label(scale, of: code),
                            ]
                        }),
                ])
        }
    }

    private static func position(_ call: Call<Identity>) throws(Problem) -> StudyScore.Position? {
        guard let parts = try call.cursor(parts: 4)?.parts else { return nil }
        guard let milliseconds = Int64(parts[1]), let sheet = SheetID(parts[2]) else { throw .invalidCursor }
        return StudyScore.Position(
            participantID: parts[0], at: Instant(milliseconds: milliseconds), sheet: sheet, scale: parts[3])
    }

    private static func cursor(_ position: StudyScore.Position) -> Cursor {
        Cursor([
            position.participantID, String(position.at.milliseconds), position.sheet.description,
            position.scale,
        ])
    }

    private static func json(_ score: StudyScore, label: JSON, _ arms: ArmView) -> JSON {
        [
            "participant_id": .string(score.participantID), "arm": arms.json(score.arm),
            "study_day": .int(score.studyDay), "completed_at": .instant(score.position.at),
            "questionnaire": .string(score.questionnaire), "version": .string(score.version),
            "scale": .string(score.position.scale),
            "label": label,
            "value": .optional(score.value, JSON.double), "reason": .optional(score.reason, JSON.string),
            "band": .optional(score.band, JSON.string), "key_version": .string(score.keyVersion),
            "sheet_id": .id(score.position.sheet),
        ]
    }

    private static let schema = Schema.named(
        "StudyScore",
        .object([
            .required("participant_id", .string(), "The pseudonym of the participant."),
            .required("arm", .string(), ArmView.description),
            .required(
                "study_day", .integer(),
                "The day of the study of the sheet's occasion, or of its completion if it has none. The day of the enrolment is day 0."
            ),
            .required("completed_at", .instant, "When the sheet was completed, by the corrected clock."),
            .required("questionnaire", .string(), "The code of the questionnaire."),
            .required("version", .string(), "The version that was answered."),
            .required("scale", .string(), "The code of the scale."),
            .required("label", .string(), "The name of the scale."),
            .required("value", .nullable(.number()), "The score; null if it is undefined."),
            .required(
                "reason", .nullable(.string(values: ScoreReason.allCases.map(\.rawValue))),
                "Why the score is undefined; null if it has a value."),
            .required("band", .nullable(.string()), "The code of the band; null if there is none."),
            .required("key_version", .string(), "The version of the scoring key."),
            .required("sheet_id", .id, "The id of the answer sheet."),
        ]))
}
