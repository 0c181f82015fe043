import Postgres

extension Pool {
    /// Runs a transaction, and repeats it after a transient fault that changed nothing, such as a deadlock or a restart
    /// of the server. There are at most four attempts. `body` can run several times, so it must have no side effects
    /// outside the transaction.
    /// - Parameter idempotent: running the work twice has the same result as running it once. Then the transaction is
    ///   also repeated if the result of its commit is unknown.
    nonisolated(nonsending) func writeRetrying<Value>(
        idempotent: Bool = false, _ body: nonisolated(nonsending) (Transaction) async throws -> Value
    ) async throws -> Value {
        var attempt = 1
        while true {
            do {
                return try await write(body)
            } catch let error as DatabaseError
                where attempt < 4 && error.isRetryable(idempotent: idempotent)
            {
                try await Task.sleep(for: .milliseconds(10 << attempt))
                attempt += 1
            }
        }
    }
}

extension DatabaseError {
    /// Whether the caller may try again. A time-out while waiting for a connection is not retried, because the caller
    /// has already waited for the whole limit.
    func isRetryable(idempotent: Bool) -> Bool {
        if kind == .timeout(.acquire) { return false }
        return isTransient || (idempotent && isCommitUnknown)
    }

    /// Whether the error means that the database cannot be reached or shuts down. No single record causes this, so
    /// writing each record alone would not help.
    package var isOutage: Bool {
        switch kind {
        case .connection, .timeout(.acquire), .closed, .durabilityUnknown: true
        case .server(let fault): ["08", "53", "57"].contains(fault.state.classCode)
        default: false
        }
    }
}
