import HTTPTypes
import SaunterCore

/// The routes for load balancers, process supervisors and monitoring.
package struct OperationRoutes: Sendable {
    /// The timeout of one readiness check.
    private static let timeout = Duration.seconds(2)

    private let checks: [ReadinessCheck]
    private let metrics: @Sendable () -> String

    /// - Parameter metrics: returns all metrics in Prometheus' text format 0.0.4.
    package init(checks: [ReadinessCheck], metrics: @escaping @Sendable () -> String) {
        self.checks = checks
        self.metrics = metrics
    }

    /// The three routes.
    package var routes: [Route] { [live, ready, metricsText] }

    private var live: Route {
        Route(
            .get, "/health/live", who: .anyone, tag: "Operation",
            summary: "Check whether the process responds",
            description: """
                This check does not depend on the database: a supervisor that restarts the server while the database \
                is unavailable would not help.
                """,
            outcomes: [
                .json(
                    .ok, "The process responds.",
                    .object([.required("status", .string(values: ["live"]), "The process answers.")]))
            ]
        ) { _ in .json(.ok, ["status": "live"]) }
    }

    private var ready: Route {
        Route(
            .get, "/health/ready", who: .anyone, tag: "Operation",
            summary: "Check whether the server can process requests",
            outcomes: [
                .json(.ok, "The server can process requests.", Readiness.schema),
                .json(.serviceUnavailable, "The server cannot process requests.", Readiness.schema),
            ]
        ) { _ in
            let readiness = await Readiness.run(checks, timeout: Self.timeout)
            guard readiness.isReady else {
                return .json(.serviceUnavailable, readiness.json, headers: [.retryAfter: "2"])
            }
            return .json(.ok, readiness.json)
        }
    }

    private var metricsText: Route {
        Route(
            .get, "/metrics", who: .metrics, tag: "Operation", summary: "Get the metrics for Prometheus",
            description: "The metrics contain no ids, answers or addresses of participants.",
            outcomes: [
                .file(
                    .ok, "All metrics.", contentType: "text/plain; version=0.0.4; charset=utf-8",
                    example:
                        #"hb_requests_total{http_request_method="GET",http_response_status_code="200"} 128"#
                        + "\n")
            ]
        ) { _ in
            .bytes(Array(metrics().utf8), contentType: "text/plain; version=0.0.4; charset=utf-8")
        }
    }
}
