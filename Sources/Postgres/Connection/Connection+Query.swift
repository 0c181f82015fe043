/// A type that runs statements, such as a connection, a transaction or a pool. A function that takes `some Querying`
/// works with all of them.
package protocol Querying: Sendable {
    /// Runs one statement.
    @discardableResult
    func query(_ statement: Statement, _ arguments: Arguments) async throws(DatabaseError) -> Rows
    /// Runs statements in one round trip. After the first statement that fails, the server skips the rest. Outside a
    /// transaction, either all statements commit or none.
    @discardableResult
    func pipeline(_ calls: [(Statement, Arguments)]) async throws(DatabaseError) -> [Rows]
}

extension Querying {
    /// Runs a statement without parameters.
    @discardableResult
    package func query(_ statement: Statement) async throws(DatabaseError) -> Rows {
        try await query(statement, [])
    }
}

extension Connection: Querying {
    /// Runs one statement. Outside a transaction it commits by itself.
    @discardableResult
    package func query(_ statement: Statement, _ arguments: Arguments) async throws(DatabaseError) -> Rows {
        try await query(statement, arguments, by: nil)
    }

    /// Runs statements in one round trip. Outside a transaction, either all commit or none.
    @discardableResult
    package func pipeline(_ calls: [(Statement, Arguments)]) async throws(DatabaseError) -> [Rows] {
        try await pipeline(calls, by: nil)
    }

    /// Runs the statements of a script without parameters, for tests and benchmarks. They run in one transaction unless
    /// the script contains transaction commands. Migrations use `Transaction.execute(script:)`.
    package func execute(script: String) async throws(DatabaseError) {
        try await execute(script: script, by: nil)
    }

    /// Returns the types of the parameters and columns of a statement. The server parses the statement but does not run
    /// it. If a parameter type is not given, the server infers it. For the test of all statements.
    package func describe(
        _ statement: Statement, parameterTypes: [OID] = []
    ) async throws(DatabaseError) -> (parameterTypes: [OID], columns: [(name: String, type: OID)]) {
        let described = try await perform(by: nil, name: statement.name) { session throws(DatabaseError) in
            try session.describe(statement.sql, types: parameterTypes)
        }
        return (described.parameters, described.layout.columns.map { ($0.name, $0.type) })
    }

    func query(
        _ statement: Statement, _ arguments: Arguments, by level: ConnectionMachine.Level?
    ) async throws(DatabaseError) -> Rows {
        let call = try Call(statement, arguments)
        return try await perform(by: level, name: statement.name) { session throws(DatabaseError) in
            try session.query(call)
        }
    }

    func pipeline(
        _ calls: [(Statement, Arguments)], by level: ConnectionMachine.Level?
    ) async throws(DatabaseError) -> [Rows] {
        var prepared: [Call] = []
        for (statement, arguments) in calls { prepared.append(try Call(statement, arguments)) }
        return try await perform(by: level, name: "pipeline") { session throws(DatabaseError) in
            try session.pipeline(prepared)
        }
    }

    func execute(script: String, by level: ConnectionMachine.Level?) async throws(DatabaseError) {
        try await perform(by: level, name: "script") { session throws(DatabaseError) in
            try session.execute(script: script)
        }
    }
}
