/// Runs requests on a free connection. If that connection is broken, retries on another one.
extension Pool {
    /// Runs the block in a transaction. Retries only the `BEGIN`, never the block.
    nonisolated(nonsending) func transaction<Value>(
        isolation: Isolation, readOnly: Bool,
        _ body: nonisolated(nonsending) (Transaction) async throws -> Value
    ) async throws -> Value {
        let (lease, level) = try await begin(isolation: isolation, readOnly: readOnly)
        defer { release(lease) }
        return try await lease.connection.runBlock(level, body)
    }

    /// Begins a transaction. If the connection breaks, retries on another one, at most `size` times: a `BEGIN` that
    /// fails has changed nothing.
    private func begin(
        isolation: Isolation, readOnly: Bool
    ) async throws(DatabaseError) -> (Lease, ConnectionMachine.Level) {
        var attempt = 0
        while true {
            let lease = try await acquire()
            do throws(DatabaseError) {
                return (
                    lease, try await lease.connection.begin(by: nil, isolation: isolation, readOnly: readOnly)
                )
            } catch {
                release(lease)
                attempt += 1
                guard canRetryOnAnotherConnection(error), attempt <= size else { throw error }
            }
        }
    }

    /// Runs a single request. If its connection broke before the request was sent, retries on another one, at most
    /// `size` times.
    func retryOnBrokenConnection<Value: Sendable>(
        _ body: (Connection) async throws(DatabaseError) -> Value
    ) async throws(DatabaseError) -> Value {
        var attempt = 0
        while true {
            let lease = try await acquire()
            defer { release(lease) }
            do throws(DatabaseError) {
                return try await body(lease.connection)
            } catch {
                attempt += 1
                guard canRetryOnAnotherConnection(error), attempt <= size else { throw error }
            }
        }
    }

    /// A request whose commit may have succeeded is never retried.
    private func canRetryOnAnotherConnection(_ error: DatabaseError) -> Bool {
        if case .connection(_, commitUnknown: false) = error.kind { true } else { false }
    }
}
