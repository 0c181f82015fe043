import Foundation
import HTTPTypes
import SaunterCore
import SaunterStore

/// The route that uploads a batch of records from a device.
struct SyncRoutes: Sendable {
    let context: ServerContext

    private static let maximumItems = 500

    var sync: Route {
        Route(
            .post, "/v1/enrolments/{id}/sync", who: .participant, tag: "Answer sheets",
            summary: "Upload a batch of records from a device",
            description: """
                Items are answer sheets, walks, calibrations, observations, usage events, study events, snoozes, receipts \
                of messages, corrections of sheets, and deletions of sheets, walks and observations. The response has \
                one result per item, in the order of the items. An invalid item never fails the others.

                The device can send the items in any order. The server processes calibrations before walks, and walks \
                before sheets. A correction or deletion waits until its record is stored. If several sheets answer one \
                occasion, the first one in the upload fulfils it. If several corrections change one sheet, the one \
                that was made last is active. A snooze that has ended before it arrives changes nothing and is \
                confirmed.

                \(RecordResult.rule) `duplicate` and `out_of_window` are sheets that are stored: another sheet fulfilled \
                the occasion, or its window was closed.

                If the device sends `device_id` and numbers its items from 1 in `sequence`, the response reports which \
                numbers have not arrived. The server then orders the corrections of the device by these numbers instead \
                of by its clock.

                With the content type application/x-ndjson, one body carries up to 100,000 items in at most 256 MiB, \
                one item per line. The first line can be the upload without `items`. If it does not state \
                `client_now`, each item can state it. The server sends one result per line, with the number of the \
                item's line, as soon as the item is stored. Behind a proxy, it sends the results after the whole body \
                has arrived. If the device sent `device_id`, the last line of the response is the state of the device. \
                An unreadable line gets a result, too. Upload again every item whose line gets no result. If the body \
                ends early or becomes unreadable, the last result is a `retry` without `kind` and `id`: the server \
                stored nothing from its line on.
                """,
            parameters: [.enrolment],
            body: .json(
                .named(
                    "Outbox",
                    .object([
                        .required(
                            "client_now", .instant,
                            "The device's clock when it sends the request. The server corrects times with it."
                        ),
                        .optional("device_id", .id, "The id that the app generates when it is installed."),
                        .required(
                            "items",
                            .array(of: .anyOf([.any, BatchUploadItem.schema]), max: Self.maximumItems),
                            "Each item is an OutboxItem. The server rejects an item with another form and processes the others."
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
                ], itemList: "items", lines: NDJSONLimits()),
            outcomes: [
                .json(.ok, "One result per item, in order.", Self.schema),
                .file(
                    .ok, "One result per item, one per line.", contentType: MediaType.lines,
                    example: """
                        {"line":2,"kind":"walk","id":"0193a1f0-7c1e-7d3a-9b52-6f0c1d2e3f40","result":"replayed"}
                        """),
            ]
        ) { call in
            let enrolment = try await context.enrolment(call)
            if let lines = call.lines { return try await process(lines, call, enrolment) }
            let items = (call.body["items"]?.array ?? []).enumerated().map { index, item in
                BatchUploadItem(index: index, json: item, readerFaults: call.itemFaults[index] ?? [])
            }
            let service = BatchUploadService(
                context: context, call: call, enrolment: enrolment, clientNow: call.body["client_now"],
                device: call.body["device_id"]?.string.flatMap { DeviceID($0) })
            let results = try await service.process(items)
            try await service.recordSequences(items, results)
            var reply: JSONObject = ["items": .array(results.map(\.json))]
            if let state = try await service.deviceState() { reply["device"] = state }
            return .json(.ok, .object(reply))
        }
    }

    private func process(_ lines: NDJSONBody, _ call: Call<Identity>, _ enrolment: Enrolment) async throws
        -> Reply
    {
        let header = try await BatchUploadStream.header(of: lines)
        let service = BatchUploadService(
            context: context, call: call, enrolment: enrolment, clientNow: header.json["client_now"],
            device: header.json["device_id"]?.string.flatMap { DeviceID($0) })
        let stream = BatchUploadStream(
            service: service, lines: lines, publicURL: context.configuration.publicURL)
        let directory = URL(filePath: context.configuration.dataDirectory, directoryHint: .isDirectory)
            .appending(path: "outboxes", directoryHint: .isDirectory)
        return lines.isForwarded
            ? try await stream.replyAfterUpload(header, directory: directory)
            : stream.reply(header, directory: directory)
    }

    /// The schema of the first line of an NDJSON body, if that line is not an item.
    static let headerSchema = Schema.object([
        .required(
            "client_now", .instant,
            "The device's clock when it sends the request. The server corrects times with it."),
        .optional("device_id", .id, "The id that the app generates when it is installed."),
    ])

    private static let schema = Schema.named(
        "OutboxResults",
        .object([
            .required(
                "items",
                .array(
                    of: .object([
                        .required("kind", .string(), "The `kind` of the item, as sent."),
                        .required("id", .string(), "The `id` of the item, as sent."),
                        .required(
                            "result",
                            .string(values: [
                                "accepted", "replayed", "duplicate", "out_of_window", "rejected", "retry",
                            ]),
                            "What the server did with the item. The description of the route states what to do."
                        ),
                        .optional(
                            "receipt", .anyOf([.any, AnswerSheetResponse.receiptSchema]),
                            "The response body that the single submission would have returned."),
                        .optional(
                            "problem", Problem.schema,
                            "Why the item is not stored; present if `result` is `rejected` or `retry`."),
                    ])), "One result per item, in the order of the items."),
            .optional(
                "device", DeviceResponse.schema,
                "Which sequence numbers of the device have arrived; present if the device sent `device_id`."),
        ]))
}
