/// Requests on whatever connection is free, or on another when that turns out to be broken.
extension Pool {
    nonisolated(nonsending) func transaction<Value>(
        isolation: Isolation, readOnly: Bool,
        _ body: nonisolated(nonsending) (Transaction) async throws -> Value
    ) async throws -> Value {
        let (lease, level) = try await begin(isolation: isolation, readOnly: readOnly)
        defer { giveBack(lease) }
        return try await lease.connection.complete(level, body)
    }

    /// A BEGIN that fails has done nothing, so it is tried on another connection.
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
                giveBack(lease)
                attempt += 1
                guard isWorthAnotherConnection(error), attempt <= size else { throw error }
            }
        }
    }

    /// Runs single requests; one that found its connection broken before anything was sent goes to another.
    func replacingBroken<Value: Sendable>(
        _ body: (Connection) async throws(DatabaseError) -> Value
    ) async throws(DatabaseError) -> Value {
        var attempt = 0
        while true {
            let lease = try await acquire()
            defer { giveBack(lease) }
            do throws(DatabaseError) {
                return try await body(lease.connection)
            } catch {
                attempt += 1
                guard isWorthAnotherConnection(error), attempt <= size else { throw error }
            }
        }
    }

    private func isWorthAnotherConnection(_ error: DatabaseError) -> Bool {
        if case .connection(_, commitUnknown: false) = error.kind { true } else { false }
    }
}
