import Metrics

/// The metrics of a pool or of a single connection.
struct DatabaseMetrics: Sendable {
    private let dimensions: [(String, String)]
    private let acquireWait: Timer
    private let inUse: Meter

    /// `pool` is the name that distinguishes the pools of one process.
    init(pool: String) {
        dimensions = [("pool", pool)]
        acquireWait = Timer(label: "database_acquire_wait_seconds", dimensions: dimensions)
        inUse = Meter(label: "database_connections_in_use", dimensions: dimensions)
    }

    /// Makes the timer of a statement. It measures the time from sending the statement to the end of the response. The
    /// caller stores the timer, because making one costs more than using it.
    func timer(of statement: String) -> Timer {
        Timer(label: "database_query_duration_seconds", dimensions: dimensions + [("statement", statement)])
    }

    /// Records how long a task waited until it got a connection or an error.
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
