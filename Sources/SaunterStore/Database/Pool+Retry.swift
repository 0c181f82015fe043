import Postgres

extension Pool {
    /// Runs a transaction, and runs it again when the fault is expected to pass and surely left no trace: it lost a deadlock, or the server
    /// was restarted under it. So the block must not have effects of its own.
    /// - Parameter repeatable: the same work done twice comes to the same; then a commit whose outcome is unknown is run again too.
    nonisolated(nonsending) func writeRetrying<Value>(
        repeatable: Bool = false, _ body: nonisolated(nonsending) (Transaction) async throws -> Value
    ) async throws -> Value {
        var attempt = 1
        while true {
            do {
                return try await write(body)
            } catch let error as DatabaseError
                where attempt < 4 && error.isWorthRepeating(repeatable: repeatable)
            {
                try await Task.sleep(for: .milliseconds(10 << attempt))
                attempt += 1
            }
        }
    }
}

extension DatabaseError {
    /// Waiting for a connection has taken its full time already, so that is not begun again.
    func isWorthRepeating(repeatable: Bool) -> Bool {
        if kind == .timeout(.acquire) { return false }
        return isTransient || (repeatable && isCommitUnknown)
    }

    /// The database cannot be reached or is going down: no sheet's fault, and trying each alone would only take longer.
    package var isOutage: Bool {
        switch kind {
        case .connection, .timeout(.acquire), .closed, .durabilityUnknown: true
        case .server(let fault): ["08", "53", "57"].contains(fault.state.classCode)
        default: false
        }
    }
}
