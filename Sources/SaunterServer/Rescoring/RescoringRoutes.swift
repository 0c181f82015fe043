import HTTPTypes
import SaunterCore
import SaunterStore

/// What mended keys did to the scores that were there.
struct RescoringRoutes: Sendable {
    let context: ServerContext

    private var rescorings: Rescorings { Rescorings(pool: context.store.research) }

    var list: Route {
        Route(
            .get, "/v1/studies/{study}/rescorings", who: .researcher, tag: "Re-scoring",
            summary: "Re-scorings of a study, the newest first",
            description: """
                One is begun when a version is published that scores stored sheets by another key, and when the engine is another. Earlier \
                scores are kept.
                """,
            parameters: [.study], query: [.limit, .cursor],
            outcomes: [.json(.ok, "Jobs without what they changed.", .page(of: Self.summarySchema))]
        ) { call in
            let study = try call.text("study")
            guard try await context.store.findStudy(study) != nil else { throw Problem(.notFound) }
            let place = try call.place()
            let rows = try await rescorings.list(
                study, before: place.map { ($0.moment, RescoringID($0.id)) }, limit: call.pageLimit + 1)
            let page = rows.prefix(call.pageLimit)
            let next =
                rows.count > page.count
                ? page.last.map { PagePlace(moment: $0.requestedAt, id: $0.id.uuid).cursor } : nil
            return .page(
                page.map(\.json), next: next, path: "/v1/studies/\(study)/rescorings", query: call.pageQuery,
                publicURL: context.configuration.publicURL)
        }
    }

    var get: Route {
        Route(
            .get, "/v1/studies/{study}/rescorings/{rescoring}", who: .researcher, tag: "Re-scoring",
            summary: "What a re-scoring changed",
            description: "By questionnaire, version and scale; of the newest revisions of sheets that count.",
            parameters: [.study, .uuid("rescoring", "The re-scoring.")],
            outcomes: [.json(.ok, "Its state and its report so far.", Self.detailSchema)]
        ) { call in
            guard let job = try await rescorings.find(try call.id("rescoring"), study: try call.text("study"))
            else { throw Problem(.notFound) }
            return .json(.ok, job.json(try await rescorings.scales(of: job.id)))
        }
    }

    private static let fields: [Schema.Member] = [
        .required("rescoring_id", .id), .required("study", .string()),
        .required("study_version", .string(), "The version that was live when it was begun."),
        .required("engine_version", .string()),
        .required("rules_digest", .string(), "SHA-256 of all keys in force, covariates and the engine."),
        .required("cause", .string(values: Rescoring.Cause.allCases.map(\.rawValue))),
        .required(
            "state", .string(values: Rescoring.State.allCases.map(\.rawValue)),
            "settling: all is scored, and sheets that were on their way meanwhile are looked for once more."),
        .required("progress", .number(min: 0, max: 1)), .required("requested_at", .instant),
        .required("finished_at", .nullable(.instant)),
        .required("sheets_total", .integer(min: 0), "All revisions that were to be looked at."),
        .required("sheets_seen", .integer(min: 0)), .required("rows_added", .integer(min: 0)),
        .required("damaged_sheets", .integer(min: 0), "Sheets that do not fit their version."),
        .required("failure", .nullable(.string())),
    ]

    static let summarySchema = Schema.named("RescoringSummary", .object(fields))

    private static let scaleSchema = Schema.named(
        "RescoredScale",
        .object([
            .required("questionnaire", .string()),
            .required("version", .string(), "The version that was answered."), .required("scale", .string()),
            .required("key_version", .string()), .required("key_digest", .string()),
            .required("sheets", .integer(min: 0), "Sheets that were scored."),
            .required("first_scores", .integer(min: 0), "Those without a score before."),
            .required("unchanged", .integer(min: 0)),
            .required("changed", .integer(min: 0), "Another value."),
            .required("became_null", .integer(min: 0)), .required("gained_value", .integer(min: 0)),
            .required("mean_change", .nullable(.number(min: 0)), "Absolute, of values before and after."),
            .required("max_change", .nullable(.number(min: 0))),
            .required(
                "band_moves",
                .array(
                    of: .object([
                        .required("from", .nullable(.string()), "Null: no band."),
                        .required("to", .nullable(.string())), .required("sheets", .integer(min: 1)),
                    ]))),
        ]))

    static let detailSchema = Schema.named(
        "Rescoring", .object(fields + [.required("scales", .array(of: scaleSchema))]))
}
