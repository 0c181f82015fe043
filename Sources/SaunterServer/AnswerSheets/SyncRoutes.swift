import HTTPTypes
import Logging
import SaunterCore
import SaunterStore

/// A device's outbox in one call.
struct SyncRoutes: Sendable {
    let context: ServerContext

    private static let maximumItems = 500

    var sync: Route {
        Route(
            .post, "/v1/enrolments/{id}/sync", who: .participant, tag: "Answer sheets",
            summary: "Hand in an outbox",
            description: """
                Sheets, walks, calibrations and observations, one result each in order. Their order does not matter otherwise: calibrations are taken before the \
                walks that need them, and walks before sheets; of several sheets for one occasion the first settles it. One bad item never fails the \
                rest. The device deletes an item on `accepted`, `replayed`, `duplicate`, `out_of_window` or `rejected`, and keeps it on `retry`.
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
            let items = (call.body["items"]?.array ?? []).enumerated().map { place, item in
                OutboxItem(place: place, json: item, refused: call.itemFaults[place] ?? [])
            }
            let results = try await OutboxDesk(context: context, call: call, enrolment: enrolment).take(items)
            return .json(.ok, ["items": .array(results)])
        }
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
