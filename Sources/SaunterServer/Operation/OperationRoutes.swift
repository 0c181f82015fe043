import HTTPTypes
import SaunterCore

/// What load balancers, supervisors and monitoring ask.
package struct OperationRoutes: Sendable {
    private static let patience = Duration.seconds(2)

    private let checks: [ReadinessCheck]
    private let metrics: @Sendable () -> String

    /// `metrics` gives the text of all metrics in Prometheus' format 0.0.4.
    package init(checks: [ReadinessCheck], metrics: @escaping @Sendable () -> String) {
        self.checks = checks
        self.metrics = metrics
    }

    package var routes: [Route] { [live, ready, metricsText] }

    private var live: Route {
        Route(
            .get, "/health/live", who: .anyone, tag: "Operation", summary: "Whether the process answers",
            description:
                "Says nothing of the database: a supervisor that restarts the server on this helps nobody then.",
            outcomes: [.json(.ok, "It does.", .object([.required("status", .string(values: ["live"]))]))]
        ) { _ in .json(.ok, ["status": "live"]) }
    }

    private var ready: Route {
        Route(
            .get, "/health/ready", who: .anyone, tag: "Operation",
            summary: "Whether requests can be served now",
            outcomes: [
                .json(.ok, "They can.", Readiness.schema),
                .json(.serviceUnavailable, "They cannot.", Readiness.schema),
            ]
        ) { _ in
            let readiness = await Readiness.of(checks, patience: Self.patience)
            guard readiness.isReady else {
                return .json(.serviceUnavailable, readiness.json, headers: [.retryAfter: "2"])
            }
            return .json(.ok, readiness.json)
        }
    }

    private var metricsText: Route {
        Route(
            .get, "/metrics", who: .metrics, tag: "Operation", summary: "Measurements for Prometheus",
            description: "No participant's id, answer or address is among them.",
            outcomes: [.file(.ok, "All metrics.", contentType: "text/plain; version=0.0.4; charset=utf-8")]
        ) { _ in
            .bytes(Array(metrics().utf8), contentType: "text/plain; version=0.0.4; charset=utf-8")
        }
    }
}
