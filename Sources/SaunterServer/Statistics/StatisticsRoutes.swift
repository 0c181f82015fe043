import Foundation
import HTTPTypes
import SaunterCore
import SaunterEvaluation
import SaunterStore

/// Routes for the statistics of the questionnaires of a study.
struct StatisticsRoutes: Sendable {
    static let questionnaire = PathParameter.text(
        "questionnaire", "The code of a questionnaire of the study that has scales.", example: "who_5")

    let context: ServerContext

    var list: Route {
        Route(
            .get, "/v1/studies/{study}/statistics", who: .researcher, tag: "Statistics",
            summary: "List the questionnaires that have statistics",
            description: """
                The questionnaires of all versions of the study that have scales, and the last computed numbers of \
                each. Titles are in the language of `Accept-Language`.
                """,
            parameters: [.study],
            outcomes: [
                .json(
                    .ok, "The questionnaires, those of the live version first.",
                    .object([
                        .required(
                            "items", .array(of: StatisticsResponse.summarySchema), "The questionnaires."),
                        .required("as_of", .instant, "The instant of the list."),
                    ]))
            ], problems: [.notFound]
        ) { call in
            let questionnaires = try await context.scoredQuestionnaires(call)
            let study = try call.text("study")
            let isBlinded = try await context.armView(of: study, for: call.caller).isBlinded
            let state = try await state(of: study)
            let digests = questionnaires.map { Self.digest(study, $0.code, isBlinded) }
            let found = try await context.store.listStatistics(of: study, digests: digests)
            let items = zip(questionnaires, digests).map { questionnaire, digest in
                JSON.object(
                    StatisticsResponse(questionnaire, found[digest] ?? StatisticsJobs(), state).summary)
            }
            return .json(.ok, ["items": .array(items), "as_of": .instant(call.now)])
        }
    }

    var get: Route {
        Route(
            .get, "/v1/studies/{study}/statistics/{questionnaire}", who: .researcher, tag: "Statistics",
            summary: "Get the statistics of a questionnaire",
            description: """
                The last computed statistics, one entry in `versions` for each version with sheets: distribution, \
                reliability, items, scores by arm and week, and missing scores by reason. They are the same as those \
                of `evaluator report`, and cover each sheet that is neither a duplicate nor deleted. Each version is \
                scored with its active key. Without a result, `computed_at` is null and `versions` is empty: request \
                the statistics with POST.

                `stale` states whether the study has changed since. The result is deleted when a participant is \
                excluded or erased, or when data are purged.

                In a blinded study, arms are letters for callers who may not see arms. If the arms have different \
                ratios, these callers get no scores by arm, because the counts reveal which arm a letter means.
                """,
            parameters: [.study, Self.questionnaire],
            outcomes: [.json(.ok, "The last statistics.", StatisticsResponse.schema)], problems: [.notFound]
        ) { call in
            .json(.ok, try await json(try await questionnaire(call), call))
        }
    }

    var request: Route {
        Route(
            .post, "/v1/studies/{study}/statistics/{questionnaire}", who: .researcher, tag: "Statistics",
            summary: "Compute the statistics of a questionnaire",
            description: """
                The server computes the statistics in the background; GET returns the state and the result. If they \
                exist and the study has not changed since, the server computes nothing and answers 200. The server \
                computes statistics of at most \(StudyReportReader.maximumSheets) sheets.
                """,
            parameters: [.study, Self.questionnaire],
            outcomes: [
                .json(
                    .ok, "The statistics exist, and the study has not changed since.",
                    StatisticsResponse.schema),
                .json(.accepted, "The server will compute the statistics.", StatisticsResponse.schema),
            ], problems: [.notFound]
        ) { call in
            let questionnaire = try await questionnaire(call)
            let study = try call.text("study")
            let isBlinded = try await context.armView(of: study, for: call.caller).isBlinded
            let body: JSON = ["questionnaire": .string(questionnaire.code)]
            let request = ExportRequest(
                id: ExportID(UUID()), study: study, account: call.caller.account,
                profile: ExportJob.statisticsProfile, filters: body, isBlinded: isBlinded,
                digest: Self.digest(study, questionnaire.code, isBlinded), tag: try await state(of: study).tag
            )
            let same = try await context.store.listExports(equivalentTo: request).first
            let audit = AuditEntry(
                actor: .account(call.caller.account), action: "statistics_requested", study: study,
                requestID: call.requestID,
                detail: [
                    "export_id": .id(same?.id ?? request.id), "questionnaire": .string(questionnaire.code),
                    "again": .bool(same != nil),
                ])
            if let same {
                try await context.store.renewExport(same.id, audit: audit, now: call.now)
            } else if try await !context.store.insertExport(request, audit: audit, now: call.now) {
                throw Problem(
                    .tooManyRequests, "Too many statistics of this study are already queued.", retryAfter: 60)
            }
            return .json(same?.state == .done ? .ok : .accepted, try await json(questionnaire, call))
        }
    }

    /// The questionnaire in the path.
    /// - Throws: `not-found` if the study has no such questionnaire with scales.
    private func questionnaire(_ call: Call<Identity>) async throws -> ScoredQuestionnaire {
        let code = try call.text("questionnaire")
        guard let found = try await context.scoredQuestionnaires(call).first(where: { $0.code == code })
        else {
            throw Problem(.notFound)
        }
        return found
    }

    private func json(_ questionnaire: ScoredQuestionnaire, _ call: Call<Identity>) async throws -> JSON {
        let study = try call.text("study")
        guard let live = try await context.catalogue.findLive(study) else { throw Problem(.notFound) }
        let arms = try await context.armView(of: study, for: call.caller)
        let digest = Self.digest(study, questionnaire.code, arms.isBlinded)
        let jobs = try await context.store.listStatistics(of: study, digests: [digest])[digest]
        return StatisticsResponse(questionnaire, jobs ?? StatisticsJobs(), try await state(of: study))
            .json(showsArms: arms.showsNumbers(of: live.published.study))
    }

    private static func digest(_ study: String, _ questionnaire: String, _ isBlinded: Bool) -> String {
        QuestionnaireStatistics.digest(study: study, questionnaire: questionnaire, isBlinded: isBlinded)
    }

    /// The present state of the study, with a number for each change that was committed before.
    private func state(of study: String) async throws -> StatisticsResponse.State {
        _ = try await context.store.numberWaitingChanges(of: study)
        guard let state = try await context.store.findStatisticsState(of: study) else {
            throw Problem(.notFound)
        }
        return StatisticsResponse.State(
            changeSequence: state.changeSequence,
            tag: QuestionnaireStatistics.tag(
                changeSequence: state.changeSequence, versions: state.versions))
    }
}
