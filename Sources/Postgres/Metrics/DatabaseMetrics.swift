import Metrics

/// What is measured of a pool's or connection's work.
struct DatabaseMetrics: Sendable {
    private let dimensions: [(String, String)]
    private let acquireWait: Timer
    private let inUse: Meter

    /// `pool` tells pools of one process apart.
    init(pool: String) {
        dimensions = [("pool", pool)]
        acquireWait = Timer(label: "database_acquire_wait_seconds", dimensions: dimensions)
        inUse = Meter(label: "database_connections_in_use", dimensions: dimensions)
    }

    /// How long a statement takes, from sending to the last answer. To be kept: making a timer costs more
    /// than using it.
    func timer(of statement: String) -> Timer {
        Timer(label: "database_query_duration_seconds", dimensions: dimensions + [("statement", statement)])
    }

    /// Somebody got a connection, or gave up.
    func record(acquireWait duration: Duration) {
        acquireWait.record(duration: duration)
    }

    func record(inUse count: Int) {
        inUse.set(count)
    }

    func count(_ error: DatabaseError) {
        Counter(label: "database_errors_total", dimensions: dimensions + [("class", error.className)])
            .increment()
    }
}
