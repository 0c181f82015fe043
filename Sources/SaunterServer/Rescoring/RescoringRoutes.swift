import HTTPTypes
import SaunterCore
import SaunterStore

/// Routes that report how a change of scoring keys changed the stored scores.
struct RescoringRoutes: Sendable {
    let context: ServerContext

    private var rescorings: RescoringRepository { RescoringRepository(pool: context.store.research) }

    var list: Route {
        Route(
            .get, "/v1/studies/{study}/rescorings", who: .researcher, tag: "Rescoring",
            summary: "List the rescorings of a study, newest first",
            description: """
                A rescoring computes the scores of stored sheets again. The server starts one when a published version \
                scores stored sheets with another key, and when a new release of the server scores differently. \
                Earlier scores are kept.
                """,
            parameters: [.study], query: [.limit, .cursor],
            outcomes: [
                .json(
                    .ok, "A page of rescorings, without the changes per scale.", .page(of: Self.summarySchema)
                )
            ]
        ) { call in
            let study = try call.text("study")
            guard try await context.store.findStudy(study) != nil else { throw Problem(.notFound) }
            let position = try call.listPosition()
            let rows = try await rescorings.list(
                study, before: position.map { ($0.moment, RescoringID($0.id)) }, limit: call.pageLimit + 1)
            let page = rows.prefix(call.pageLimit)
            let next =
                rows.count > page.count
                ? page.last.map { ListPosition(moment: $0.requestedAt, id: $0.id.uuid).cursor } : nil
            return .page(
                page.map(\.json), next: next, path: "/v1/studies/\(study)/rescorings", query: call.pageQuery,
                publicURL: context.configuration.publicURL)
        }
    }

    var get: Route {
        Route(
            .get, "/v1/studies/{study}/rescorings/{rescoring}", who: .researcher, tag: "Rescoring",
            summary: "Get one rescoring and the changes that it made",
            description: """
                Compares the scores before and after the rescoring, by questionnaire, version and scale. The \
                comparison covers the newest revision of each sheet that is neither deleted nor a duplicate.
                """,
            parameters: [.study, .uuid("rescoring", "The id of the rescoring.")],
            outcomes: [.json(.ok, "The state of the rescoring and the changes so far.", Self.detailSchema)]
        ) { call in
            guard let job = try await rescorings.find(try call.id("rescoring"), study: try call.text("study"))
            else { throw Problem(.notFound) }
            return .json(.ok, job.json(try await rescorings.listScales(of: job.id)))
        }
    }

    private static let fields: [Schema.Member] = [
        .required("rescoring_id", .id, "The id of the rescoring."),
        .required("study", .string(), "The code of the study."),
        .required("study_version", .string(), "The version that was live when the rescoring was created."),
        .required("engine_version", .string(), "The version of the program that computed the scores."),
        .required(
            "rules_digest", .string(),
            "The SHA-256 of everything that scores depend on: the active keys, the covariates and the scoring engine."
        ),
        .required(
            "cause", .string(values: Rescoring.Cause.allCases.map(\.rawValue)),
            "Why the sheets were scored again."),
        .required(
            "state", .string(values: Rescoring.State.allCases.map(\.rawValue)),
            "In the state `settling`, the rescoring looks for sheets that were submitted while it ran."
        ),
        .required("progress", .number(min: 0, max: 1), "The share of the sheets that is done, from 0 to 1."),
        .required("requested_at", .instant, "When the rescoring was requested."),
        .required("finished_at", .nullable(.instant), "When the rescoring ended; null until then."),
        .required(
            "sheets_total", .integer(min: 0),
            "The number of sheet revisions to check, counted when the rescoring was created."),
        .required(
            "sheets_seen", .integer(min: 0), "The number of sheet revisions that have been checked so far."),
        .required("rows_added", .integer(min: 0), "The number of scores that the rescoring has added."),
        .required(
            "damaged_sheets", .integer(min: 0),
            "The number of sheets whose stored answers do not fit their questionnaire version."),
        .required("failure", .nullable(.string()), "Why the rescoring failed; null if it did not."),
    ]

    static let summarySchema = Schema.named("RescoringSummary", .object(fields))

    private static let scaleSchema = Schema.named(
        "RescoredScale",
        .object([
            .required("questionnaire", .string(), "The code of the questionnaire."),
            .required("version", .string(), "The questionnaire version that was answered."),
            .required("scale", .string(), "The code of the scale."),
            .required(
                "key_version", .string(), "The questionnaire version whose key scored the sheets."),
            .required("key_digest", .string(), "The SHA-256 of the scoring key."),
            .required("sheets", .integer(min: 0), "The number of scored sheets."),
            .required(
                "first_scores", .integer(min: 0),
                "The number of sheets that had no score of this scale before."),
            .required("unchanged", .integer(min: 0), "The number of sheets whose score stayed the same."),
            .required(
                "changed", .integer(min: 0), "The number of sheets whose score has another value than before."
            ),
            .required("became_null", .integer(min: 0), "The number of sheets whose score became null."),
            .required(
                "gained_value", .integer(min: 0),
                "The number of sheets whose score was null before and is a number now."),
            .required(
                "mean_change", .nullable(.number(min: 0)),
                "The mean absolute change of a score; null if no score had a value both before and after."),
            .required(
                "max_change", .nullable(.number(min: 0)),
                "The largest absolute change of a score; null if no score changed."),
            .required(
                "band_moves",
                .array(
                    of: .object([
                        .required(
                            "from", .nullable(.string()),
                            "The band before the rescoring; null if there was none."),
                        .required(
                            "to", .nullable(.string()),
                            "The band after the rescoring; null if there is none."),
                        .required("sheets", .integer(min: 1), "The number of sheets."),
                    ])), "The sheets that moved from one band to another."),
        ]))

    static let detailSchema = Schema.named(
        "Rescoring",
        .object(fields + [.required("scales", .array(of: scaleSchema), "What changed, for each scale.")]))
}
