import HTTPTypes
import SaunterCore
import SaunterStore

/// Routes to submit and list observations and walks as data points of Open mHealth and IEEE 1752.1.
struct DataPointRoutes: Sendable {
    let context: ServerContext

    private static let maximumPoints = 1000

    var create: Route {
        Route(
            .post, "/v1/enrolments/{id}/data-points", who: .participant, tag: "Observations",
            summary: "Submit data points",
            description: """
                The body is one data point of Open mHealth or IEEE 1752.1, or a list of up to \(Self.maximumPoints) data \
                points. Each data point gets a separate result. \(RecordResult.rule)

                The server stores data points as observations. It does not store the identity of the user that a \
                header may contain. Submitting a data point again changes nothing. A data point with a higher \
                `revision` in its header, an integer up to 1,000,000, replaces the stored one.
                """,
            parameters: [.enrolment],
            body: .json(Self.bodySchema, limit: BodyRule.walkLimit, example: Self.example),
            outcomes: [.json(.ok, "One result per data point, in order.", Self.resultsSchema)]
        ) { call in
            let enrolment = try await context.enrolment(call)
            var results: [JSON] = []
            for json in call.body.array ?? [call.body] {
                let id = Self.id(of: json)
                let result = await RecordResult(id: id.description, logger: call.logger) {
                    try await put(json, id, enrolment, now: call.now)
                }
                results.append(result.json(call, publicURL: context.configuration.publicURL))
            }
            return .json(.ok, ["items": .array(results)])
        }
    }

    private func put(
        _ json: JSON, _ id: ObservationID, _ enrolment: Enrolment, now: Instant
    ) async throws -> RecordReceipt {
        let point: DataPoint
        do {
            point = try DataPoint(json)
        } catch {
            throw Problem(.observationInvalid, error)
        }
        let source = point.provenance["acquisition_provenance"]?["source_name"]?.string
        return try await ObservationService(context: context)
            .store(
                ObservationSubmission(
                    enrolment: enrolment.id, study: enrolment.study, id: id, revision: point.revision,
                    observation: point.observation, zone: enrolment.zone, offsetMin: point.offsetMin,
                    device: source.map { ["model": .string(String($0.prefix(200)))] },
                    provenance: point.provenance, detail: point.detail, receivedAt: now, digest: json.sha256,
                    body: json), of: enrolment)
    }

    /// The id of the data point if it is a UUID. Otherwise a UUID that is derived from the stated id or, without an id,
    /// from the data point.
    private static func id(of json: JSON) -> ObservationID {
        let stated = json["header"]?["id"]?.string ?? json["header"]?["uuid"]?.string
        if let id = stated.flatMap({ ObservationID($0) }) { return id }
        return DerivedID.make(of: stated.map(JSON.string) ?? json)
    }

    var list: Route {
        Route(
            .get, "/v1/enrolments/{id}/data-points", who: .participant, tag: "Observations",
            summary: "List observations and walks as data points",
            description: """
                Returns one data point for each sample of an observation whose code belongs to a schema, oldest first. \
                After these it returns one physical-activity data point for each walk, newest first. Times are \
                corrected to the server's clock. `source_creation_date_time` is the end by the device's clock, unless \
                the sender stated another value.
                """,
            parameters: [.enrolment],
            query: [
                QueryParameter(
                    "schema", .string(values: DataPointSchema.names), "Only data points of this schema."),
                QueryParameter("from", .instant, "Only data points that end at or after this instant."),
                QueryParameter("to", .instant, "Only data points that begin before this instant."),
                .limit, .cursor,
            ],
            outcomes: [.json(.ok, "A page of data points.", .page(of: Self.pointSchema))]
        ) { call in
            let enrolment = try await context.enrolment(call)
            let span = (from: call.queryInstant("from") ?? .minimum, to: call.queryInstant("to") ?? .maximum)
            guard span.from <= span.to else {
                throw Problem(
                    .requestInvalid,
                    Faults([
                        Fault(pointer: "/to", code: "before_from", detail: "`to` must not be before `from`.")
                    ]))
            }
            let reader = DataPointReader(
                store: context.store, enrolment: enrolment.id,
                schemas: call.query("schema").map { [$0] } ?? DataPointSchema.names,
                span: span.from..<max(span.to, span.from.adding(milliseconds: 1)))
            let (points, next) = try await reader.page(
                from: try DataPointCursor(call), limit: call.pageLimit)
            return .page(
                points, next: next?.cursor, path: "/v1/enrolments/\(enrolment.id)/data-points",
                query: call.pageQuery, publicURL: context.configuration.publicURL)
        }
    }

    // MARK: Schemas

    static let pointSchema = Schema.named(
        "DataPoint",
        .object([
            .required("header", .map(of: .any), "The id, schema_id, creation time and provenance."),
            .required(
                "body", .map(of: .any),
                "The measurement in the form that the schema defines, with an effective_time_frame."),
        ]))

    private static let bodySchema = Schema.anyOf([
        .map(of: .any), .array(of: .any, min: 1, max: maximumPoints),
    ])

    private static let resultsSchema = Schema.named(
        "DataPointResults",
        .object([
            .required(
                "items", .array(of: RecordResult.schema(ObservationResponse.receiptSchema)),
                "One result per data point, in the order of the request.")
        ]))

    private static let example: JSON = [
        "header": [
            "id": "0193a1f0-7c1e-7d3a-9b52-6f0c1d2e3f40", "creation_date_time": "2026-11-21T08:05:00Z",
            "schema_id": ["namespace": "omh", "name": "heart-rate", "version": "2.0"],
            "acquisition_provenance": ["source_name": "Band 3", "modality": "sensed"],
        ],
        "body": [
            "heart_rate": ["value": 88, "unit": "beats/min"],
            "effective_time_frame": ["date_time": "2026-11-21T09:00:00+01:00"],
        ],
    ]
}
