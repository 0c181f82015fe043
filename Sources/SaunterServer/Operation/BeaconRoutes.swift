import HTTPTypes
import Logging
import Metrics
import SaunterCore

/// The route with which the scripts of the web app report their own faults.
struct BeaconRoutes: Sendable {
    let context: ServerContext

    /// Bytes of one report.
    private static let limit = 4096

    var create: Route {
        Route(
            .post, "/v1/beacon", who: .anyone, tag: "Operation", summary: "Report a fault of a page",
            description: """
                Scripts of the web app report that a script failed, or that the service worker could not be installed. \
                The server logs the report at level `warning` and counts it in the metric `web_faults_total`. A report \
                contains no answers. Before logging, the server removes ids, mail addresses and quoted texts.
                """,
            body: .json(
                .named(
                    "Beacon",
                    .object([
                        .required("kind", .string(values: ["script", "worker"]), "The part that failed."),
                        .required(
                            "page", .string(maxLength: 200), "The path of the page, without ids and query."),
                        .required("version", .string(maxLength: 100), "The version of the script."),
                        .required("text", .string(maxLength: 500), "The name and message of the error."),
                    ])), limit: Self.limit,
                example: [
                    "kind": "script", "page": "/my/{id}", "version": "app.0b1c2d3e.js",
                    "text": "TypeError: x is undefined (app.0b1c2d3e.js:12)",
                ]),
            outcomes: [.empty(.noContent, "The report is logged.")]
        ) { call in
            try await context.accounts.beaconThrottle.admit(.address(call.remoteAddress), now: call.now)
            let kind = call.body["kind"]?.string ?? ""
            Counter(label: "web_faults_total", dimensions: [("kind", kind)]).increment()
            var report: Logger.Metadata = ["kind": .string(kind)]
            for name in ["page", "version", "text"] {
                report[name] = .string(Self.redacted(call.body[name]?.string ?? ""))
            }
            call.logger.warning("a page reported a fault", metadata: report)
            return .noContent
        }
    }

    /// The text without ids, mail addresses and quoted texts. An error message can quote what a participant wrote.
    static func redacted(_ text: String) -> String {
        text.replacing(/[0-9A-Fa-f]{8}-[0-9A-Fa-f-]{27}/, with: "{id}")
            .replacing(/[^\s@]+@[^\s@]+/, with: "{address}")
            .replacing(/"[^"]*"?|`[^`]*`?|“[^”]*”?|„[^“]*“?/, with: "{text}")
            // An apostrophe inside of a word, as in "can't", begins no quotation.
            .replacing(/\B'[^']*'?/.wordBoundaryKind(.simple), with: "{text}")
    }
}
