/// A statement with its parameters, ready to be sent.
struct Call {
    let name: String
    let key: PreparedStatements.Key
    let block: ParameterBlock

    /// Refuses what cannot be sent.
    init(_ statement: Statement, _ parameters: [Parameter]) throws(DatabaseError) {
        do {
            try CStrings.check(statement.sql, "the statement")
            block = try ParameterBlock(parameters)
        } catch {
            throw error.naming(statement.name)
        }
        name = statement.name
        key = PreparedStatements.Key(sql: statement.sql, types: parameters.map(\.type))
    }
}
