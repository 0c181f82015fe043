/// A statement with its encoded parameters, ready to be sent.
struct Call {
    let name: String
    let key: PreparedStatements.Key
    let block: ParameterBlock

    /// Throws if the statement or a parameter cannot be sent.
    init(_ statement: Statement, _ arguments: Arguments) throws(DatabaseError) {
        let parameters = try statement.parameters(from: arguments)
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
