import Foundation
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
                Sheets, walks, calibrations, observations, usage events, corrections of sheets, and deletions of sheets, walks and observations, one result each in order. Their order does not \
                matter otherwise: calibrations are taken before the walks that need them, walks before sheets, and what is said of a thing that is not there yet waits \
                for it; of several sheets for one occasion the first settles it, and of several corrections the one made last is in force. One bad item never fails the \
                rest. The device deletes an item on `accepted`, `replayed`, `duplicate`, `out_of_window` or `rejected`, and keeps it on `retry`. Where it names \
                itself (device_id) and numbers its items from 1 on (sequence), the reply tells which numbers have not arrived, and of its corrections the order of their numbers goes before its clock. \
                As application/x-ndjson up to 100,000 items come in one body of at most 256 MiB, one a line: first, if you like, a line that is the outbox without its items, then \
                each OutboxItem; where the first line says no client_now, each item may. The reply is one result a line, with its line's number, as soon as the \
                item is stored (once all have come where a proxy stands between), and then the state of a device that named itself. A line that cannot be read has a result too; one that is never answered is \
                sent again. Where the body ends too early, or cannot be read on, the last result, a `retry` without kind and id, says of which line on nothing was taken.
                """,
            parameters: [.enrolment],
            body: .json(
                .named(
                    "Outbox",
                    .object([
                        .required("client_now", .instant),
                        .optional("device_id", .id, "Made by the app when it is installed."),
                        .required(
                            "items", .array(of: .any, max: Self.maximumItems),
                            "Each an OutboxItem: kind (answer_sheet, walk, calibration, observation, usage_event, correction or deletion), id, body as for the single request (UsageEvent, SheetCorrection, Deletion), and perhaps its sequence. One that is none is rejected by itself."
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
                ], itemList: "items", lines: LineBounds()),
            outcomes: [
                .json(.ok, "One result per item.", Self.schema),
                .file(.ok, "One result per item, one a line.", contentType: MediaType.lines),
            ]
        ) { call in
            let enrolment = try await context.enrolment(call)
            if let lines = call.lines { return try await take(lines, call, enrolment) }
            let items = (call.body["items"]?.array ?? []).enumerated().map { place, item in
                OutboxItem(place: place, json: item, refused: call.itemFaults[place] ?? [])
            }
            let desk = OutboxDesk(
                context: context, call: call, enrolment: enrolment, clientNow: call.body["client_now"],
                device: call.body["device_id"]?.string.flatMap { DeviceID($0) })
            let results = try await desk.take(items)
            try await desk.note(items, results)
            var reply: JSONObject = ["items": .array(results.map(\.json))]
            if let state = try await desk.deviceState() { reply["device"] = state }
            return .json(.ok, .object(reply))
        }
    }

    private func take(_ lines: BodyLines, _ call: Call<Identity>, _ enrolment: Enrolment) async throws
        -> Reply
    {
        let head = try await OutboxStream.head(of: lines)
        let desk = OutboxDesk(
            context: context, call: call, enrolment: enrolment, clientNow: head.json["client_now"],
            device: head.json["device_id"]?.string.flatMap { DeviceID($0) })
        let stream = OutboxStream(desk: desk, lines: lines, publicURL: context.configuration.publicURL)
        let directory = URL(filePath: context.configuration.dataDirectory, directoryHint: .isDirectory)
            .appending(path: "outboxes", directoryHint: .isDirectory)
        return lines.isForwarded
            ? try await stream.replyAfterwards(head, directory: directory)
            : stream.reply(head, directory: directory)
    }

    /// What the first of several lines may say.
    static let headSchema = Schema.object([.required("client_now", .instant), .optional("device_id", .id)])

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
                    ]))),
            .optional("device", DeviceWire.schema),
        ]))
}
