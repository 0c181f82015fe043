/// What runs statements: a connection, a transaction, a pool. Functions that only need to ask something take
/// `some Querying` and compose.
package protocol Querying: Sendable {
    /// Runs one statement.
    @discardableResult
    func query(_ statement: Statement, _ parameters: [Parameter]) async throws(DatabaseError) -> Rows
    /// Runs statements in one round trip; after the first that fails, the rest is not run. Outside a
    /// transaction they all commit together or not at all.
    @discardableResult
    func pipeline(_ calls: [(Statement, [Parameter])]) async throws(DatabaseError) -> [Rows]
}

extension Querying {
    /// Runs a statement without parameters.
    @discardableResult
    package func query(_ statement: Statement) async throws(DatabaseError) -> Rows {
        try await query(statement, [])
    }
}

extension Connection: Querying {
    @discardableResult
    package func query(_ statement: Statement, _ parameters: [Parameter]) async throws(DatabaseError) -> Rows
    {
        try await query(statement, parameters, by: nil)
    }

    @discardableResult
    package func pipeline(_ calls: [(Statement, [Parameter])]) async throws(DatabaseError) -> [Rows] {
        try await pipeline(calls, by: nil)
    }

    /// Runs the statements of a script, for migrations: no parameters, several statements, one transaction
    /// unless the script says otherwise.
    package func execute(script: String) async throws(DatabaseError) {
        try await execute(script: script, by: nil)
    }

    /// Has the server parse a statement and tell the types of its parameters and columns, for the test of all
    /// statements. Parameter types that are not given are inferred by the server.
    package func describe(
        _ statement: Statement, parameterTypes: [OID] = []
    ) async throws(DatabaseError) -> (parameterTypes: [OID], columns: [(name: String, type: OID)]) {
        let described = try await perform(by: nil, name: statement.name) { session throws(DatabaseError) in
            try session.describe(statement.sql, types: parameterTypes)
        }
        return (described.parameters, described.layout.columns.map { ($0.name, $0.type) })
    }

    func query(
        _ statement: Statement, _ parameters: [Parameter], by level: ConnectionMachine.Level?
    ) async throws(DatabaseError) -> Rows {
        let call = try Call(statement, parameters)
        return try await perform(by: level, name: statement.name) { session throws(DatabaseError) in
            try session.query(call)
        }
    }

    func pipeline(
        _ calls: [(Statement, [Parameter])], by level: ConnectionMachine.Level?
    ) async throws(DatabaseError) -> [Rows] {
        var prepared: [Call] = []
        for (statement, parameters) in calls { prepared.append(try Call(statement, parameters)) }
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
