/// Standalone requests of a pool. Without an outer transaction, each request is a separate transaction. Inside an outer
/// transaction, each request runs in its own savepoint. Otherwise one failed statement would make all later requests
/// fail.
extension Connection {
    func queryStandalone(_ statement: Statement, _ arguments: Arguments) async throws(DatabaseError) -> Rows {
        try await runStandalone { level throws(DatabaseError) in
            try await self.query(statement, arguments, by: level)
        }
    }

    func pipelineStandalone(_ calls: [(Statement, Arguments)]) async throws(DatabaseError) -> [Rows] {
        try await runStandalone { level throws(DatabaseError) in
            try await self.pipeline(calls, by: level)
        }
    }

    private func runStandalone<Value: Sendable>(
        _ work: (ConnectionMachine.Level?) async throws(DatabaseError) -> Value
    ) async throws(DatabaseError) -> Value {
        guard settings.hasOuterTransaction else { return try await work(nil) }
        let level = try await begin(by: nil, isolation: .readCommitted, readOnly: false)
        let value: Value
        do throws(DatabaseError) {
            value = try await work(level)
        } catch {
            await rollBack(level)
            throw error
        }
        try await commit(level)
        return value
    }
}
