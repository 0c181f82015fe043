/// The prepared statements of one session, by their SQL and the types of their parameters.
struct PreparedStatements {
    /// Calls with the same key use the same prepared statement.
    struct Key: Hashable {
        let sql: String
        let types: [OID]
    }

    /// A prepared statement, with the name that this client gave it.
    struct PreparedStatement {
        let name: String
        var layout: ColumnLayout?
    }

    /// The maximum number of prepared statements, because the server keeps each one in memory. Above it, the session
    /// sends the SQL with each call instead. A program that has its SQL in files does not reach this number.
    static let capacity = 1_000

    private var prepared: [Key: PreparedStatement] = [:]
    private var serial = 0

    var isFull: Bool {
        prepared.count >= Self.capacity
    }

    subscript(key: Key) -> PreparedStatement? {
        prepared[key]
    }

    /// Returns a name that this session has not used before.
    mutating func makeName() -> String {
        serial += 1
        return "s\(serial)"
    }

    mutating func insert(_ name: String, for key: Key) {
        prepared[key] = PreparedStatement(name: name, layout: nil)
    }

    mutating func setLayout(_ layout: ColumnLayout, for key: Key) {
        prepared[key]?.layout = layout
    }

    /// Removes a statement that the server no longer has, or whose plan is no longer valid. The next call prepares it
    /// again.
    mutating func remove(_ key: Key) {
        prepared[key] = nil
    }
}
