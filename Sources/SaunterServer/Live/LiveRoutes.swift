import HTTPTypes
import SaunterCore
import SaunterStore
import ServiceLifecycle

/// The route that reports the changes of a study as they happen.
struct LiveRoutes: Sendable {
    private static let lastEventID = HTTPField.Name("Last-Event-ID")!
    private static let accelBuffering = HTTPField.Name("X-Accel-Buffering")!

    let context: ServerContext

    var stream: Route {
        Route(
            .get, "/v1/studies/{study}/live", who: .researcher, tag: "Monitoring",
            summary: "Follow the changes of a study",
            description: """
                Returns server-sent events. Each `change` event has the number of the change as its id, and names the \
                kind of the record, its id and the pseudonym of the participant, but no content. A client reads the \
                content with the routes of the study, for example `/changes` with the same numbers. The first event is \
                `ready`. The last event is `end`, with a `reason`: `token_expired`, `access_revoked` or `shutdown`.

                A client that connects again sends the id of the last event in the header `Last-Event-ID`, and gets \
                everything that has changed since. Without this header and without `after`, the stream begins now. The \
                server sends a comment every \(LiveStream.heartbeatSeconds) seconds. A study can have \
                \(LiveFeed.maximumPerStudy) streams per server, and a server \(LiveFeed.maximumStreams); above that, \
                poll `/changes`.
                """,
            parameters: [.study],
            query: [
                QueryParameter(
                    "after", .integer(min: 0),
                    "The `change_seq` up to which the client has all changes. `Last-Event-ID` takes precedence."
                )
            ],
            outcomes: [
                .file(
                    .ok, "The events, until the stream ends.", contentType: "text/event-stream",
                    example: """
                        retry: 5000
                        id: 4711
                        event: ready
                        data: {"change_seq":4711}

                        id: 4712
                        event: change
                        data: {"change_seq":4712,"kind":"answer_sheet","id":"0193a1f0-7c1e-7d3a-9b52-6f0c1d2e3f40",\
                        "participant_id":"P7K2M9","deleted":false}


                        """)
            ]
        ) { call in
            let study = try call.text("study")
            guard try await context.store.findStudy(study) != nil else { throw Problem(.notFound) }
            let last = try await context.store.numberWaitingChanges(of: study)
            let start = try Self.position(call, last: last)
            let subscription = try await context.live.open(study, reached: last)
            let stream = LiveStream(
                study: study, caller: call.caller, store: context.store,
                revocations: context.accounts.revocations, now: context.now, logger: call.logger)
            return .stream(
                contentType: "text/event-stream", headers: [Self.accelBuffering: "no"]
            ) { writer in
                // The shutdown waits for open responses, so the stream must end by itself.
                try await withGracefulShutdownHandler {
                    try await stream.run(from: start, subscription, to: &writer)
                } onGracefulShutdown: {
                    subscription.end()
                }
            }
        }
    }

    /// The number up to which the client has all changes.
    private static func position(_ call: Call<Identity>, last: Int64) throws(Problem) -> Int64 {
        var (pointer, start) = ("/after", call.queryInt("after").map { Int64($0) })
        if let id = call.headers[lastEventID] {
            pointer = "/Last-Event-ID"
            guard let number = Int64(id), number >= 0 else {
                throw invalid(
                    pointer, "wrong_format", "The header must contain the id of an event of this route.")
            }
            start = number
        }
        guard let start else { return last }
        guard start <= last else {
            throw invalid(
                pointer, "out_of_range", "The last change is \(last). Connect again without a position.")
        }
        return start
    }

    private static func invalid(_ pointer: String, _ code: String, _ detail: String) -> Problem {
        Problem(.requestInvalid, Faults([Fault(pointer: pointer, code: code, detail: detail)]))
    }
}
