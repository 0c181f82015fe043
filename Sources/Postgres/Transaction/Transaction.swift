/// The handle of an open transaction or savepoint. It is usable only inside its block, and not while a savepoint inside
/// it is open.
package struct Transaction: Querying {
    let connection: Connection
    let level: ConnectionMachine.Level

    /// Runs one statement in the transaction.
    @discardableResult
    package func query(_ statement: Statement, _ arguments: Arguments) async throws(DatabaseError) -> Rows {
        try await connection.query(statement, arguments, by: level)
    }

    /// Runs statements in one round trip. After one that fails, the transaction can only be rolled back.
    @discardableResult
    package func pipeline(_ calls: [(Statement, Arguments)]) async throws(DatabaseError) -> [Rows] {
        try await connection.pipeline(calls, by: level)
    }

    /// Runs the statements of a script, for migrations. A script must not end the transaction (`.misuse`).
    package func execute(script: String) async throws(DatabaseError) {
        try await connection.execute(script: script, by: level)
    }

    /// See `Connection.copyOut`.
    package nonisolated(nonsending) func copyOut(
        _ sql: String, into sink: nonisolated(nonsending) ([UInt8]) async throws -> Void
    ) async throws {
        try await connection.copyOut(sql, by: level, into: sink)
    }

    /// See `Connection.copyIn`.
    @discardableResult
    package nonisolated(nonsending) func copyIn<Source: AsyncSequence>(
        _ sql: String, from source: Source
    ) async throws -> Int where Source.Element == [UInt8] {
        try await connection.copyIn(sql, by: level, from: source)
    }

    /// Runs the block in a savepoint. If the block throws, only its changes are undone, and the transaction continues.
    @discardableResult
    package nonisolated(nonsending) func savepoint<Value>(
        _ body: nonisolated(nonsending) (Transaction) async throws -> Value
    ) async throws -> Value {
        let inner = try await connection.begin(by: level, isolation: .readCommitted, readOnly: false)
        return try await connection.runBlock(inner, body)
    }
}
