import HTTPTypes
import Logging
import SaunterCore
import SaunterStore

/// A device's outbox in one call.
struct SyncRoutes: Sendable {
    let context: ServerContext

    private static let maximumItems = 500
    private static let kinds = ["answer_sheet", "walk", "calibration", "observation"]

    var sync: Route {
        Route(
            .post, "/v1/enrolments/{id}/sync", who: .participant, tag: "Answer sheets",
            summary: "Hand in an outbox",
            description: """
                Sheets, walks, calibrations and observations, one result each in order. One bad item never fails the rest. The device deletes an item on `accepted`, \
                `replayed`, `duplicate`, `out_of_window` or `rejected`, and keeps it on `retry`.
                """,
            parameters: [.enrolment],
            body: .json(
                .named(
                    "Outbox",
                    .object([
                        .required("client_now", .instant),
                        .required(
                            "items", .array(of: .any, max: Self.maximumItems),
                            "Each an OutboxItem: kind (answer_sheet, walk, calibration or observation), id, and body as for the single request. One that is none is rejected by itself."
                        ),
                    ])), limit: BodyRule.walkLimit,
                example: [
                    "client_now": "2026-11-21T08:00:00.000Z",
                    "items": [
                        [
                            "kind": "calibration", "id": "0193a1f0-7c1e-7d3a-9b52-6f0c1d2e3f40",
                            "body": [
                                "recorded_at": "2026-11-21T07:59:00.000Z", "mean_speed_kmh": 5.4,
                                "reduction_percent": 30, "duration_s": 120,
                            ],
                        ]
                    ],
                ], itemList: "items"),
            outcomes: [.json(.ok, "One result per item.", Self.schema)]
        ) { call in
            let enrolment = try await context.enrolment(call)
            var results: [JSON] = []
            for (place, item) in (call.body["items"]?.array ?? []).enumerated() {
                let faults = call.itemFaults[place] ?? []
                results.append(await result(of: item, faults, call, enrolment))
            }
            return .json(.ok, ["items": .array(results)])
        }
    }

    private static let itemSchema = Schema.object([
        .required("kind", .string(values: kinds)), .required("id", .id), .required("body", .map(of: .any)),
    ])

    /// - Parameter refused: what the reader found in the item, with its place in the whole body.
    private func result(
        of item: JSON, _ refused: [Fault], _ call: Call<Identity>, _ enrolment: Enrolment
    ) async -> JSON {
        let (kind, id) = (item["kind"]?.string ?? "", item["id"]?.string ?? "")
        do {
            let faults = refused.map(Self.inItem) + Self.itemSchema.faults(in: item)
            guard faults.isEmpty else { throw Problem(.bodyInvalid, Faults(faults)) }
            let stored = try await put(kind, id, item["body"] ?? .null, call, enrolment)
            return Self.entry(kind, id, Self.word(for: stored), more: ["receipt": stored.json])
        } catch {
            let problem = Problem(error)
            if problem.type.status >= 500 {
                call.logger.error("an outbox item failed: \(error)", metadata: ["kind": "\(kind)"])
            }
            let result = problem.type.action == .retryLater ? "retry" : "rejected"
            return Self.entry(
                kind, id, result,
                more: [
                    "problem": problem.document(
                        requestID: call.requestID, publicURL: context.configuration.publicURL)
                ])
        }
    }

    private func put(
        _ kind: String, _ id: String, _ given: JSON, _ call: Call<Identity>, _ enrolment: Enrolment
    ) async throws -> (json: JSON, isNew: Bool) {
        var object = given.object ?? [:]
        object["client_now"] = call.body["client_now"]
        let body = JSON.object(object)
        let schema: Schema
        switch kind {
        case "answer_sheet": schema = SheetBody.schema
        case "walk": schema = WalkBody.schema
        case "observation": schema = ObservationBody.schema
        default: schema = WalkRoutes.calibrationBody
        }
        let faults = schema.faults(in: body)
        guard faults.isEmpty else { throw Problem(.bodyInvalid, Faults(faults)) }
        switch kind {
        case "answer_sheet":
            guard let sheet = SheetID(id) else { throw Problem(.notFound) }
            return try await SheetDesk(context: context).put(sheet, body, of: enrolment.id, now: call.now)
        case "walk":
            guard let walk = WalkID(id) else { throw Problem(.notFound) }
            return try await WalkDesk(context: context).put(walk, body, of: enrolment, now: call.now)
        case "observation":
            guard let observation = ObservationID(id) else { throw Problem(.notFound) }
            return try await ObservationDesk(context: context)
                .put(observation, body, of: enrolment, now: call.now)
        default:
            guard let calibration = CalibrationID(id) else { throw Problem(.notFound) }
            return try await WalkDesk(context: context).put(calibration, body, of: enrolment, now: call.now)
        }
    }

    /// The same fault with its place in the item: `/items/7/body/x` stands at `/body/x`.
    private static func inItem(_ fault: Fault) -> Fault {
        let rest = fault.pointer.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
            .dropFirst(3)
        return Fault(
            pointer: rest.first.map { "/\($0)" } ?? "", code: fault.code, detail: fault.detail)
    }

    private static func word(for stored: (json: JSON, isNew: Bool)) -> String {
        if !stored.isNew { return "replayed" }
        if let duplicate = stored.json["duplicate_of"], !duplicate.isNull { return "duplicate" }
        return stored.json["standing"]?.string == Standing.outOfWindow.rawValue ? "out_of_window" : "accepted"
    }

    private static func entry(_ kind: String, _ id: String, _ result: String, more: JSONObject) -> JSON {
        var object: JSONObject = ["kind": .string(kind), "id": .string(id), "result": .string(result)]
        for member in more { object[member.name] = member.value }
        return .object(object)
    }

    private static let schema = Schema.named(
        "OutboxResults",
        .object([
            .required(
                "items",
                .array(
                    of: .object([
                        .required("kind", .string()), .required("id", .string()),
                        .required(
                            "result",
                            .string(values: [
                                "accepted", "replayed", "duplicate", "out_of_window", "rejected", "retry",
                            ])),
                        .optional("receipt", .any, "As the single request would have answered."),
                        .optional("problem", Problem.schema),
                    ])))
        ]))
}
