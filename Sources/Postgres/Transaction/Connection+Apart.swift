/// Single requests of a pool. In an enclosing transaction, which one failed statement would spoil for all
/// that follow, each gets a savepoint; otherwise it is a transaction by itself anyhow.
extension Connection {
    func queryApart(_ statement: Statement, _ parameters: [Parameter]) async throws(DatabaseError) -> Rows {
        try await apart { level throws(DatabaseError) in
            try await self.query(statement, parameters, by: level)
        }
    }

    func pipelineApart(_ calls: [(Statement, [Parameter])]) async throws(DatabaseError) -> [Rows] {
        try await apart { level throws(DatabaseError) in
            try await self.pipeline(calls, by: level)
        }
    }

    private func apart<Value: Sendable>(
        _ work: (ConnectionMachine.Level?) async throws(DatabaseError) -> Value
    ) async throws(DatabaseError) -> Value {
        guard settings.isEnclosed else { return try await work(nil) }
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
