/// What one session has prepared: statements by their SQL and their parameters' types.
struct PreparedStatements {
    /// Two calls with one key use one prepared statement.
    struct Key: Hashable {
        let sql: String
        let types: [OID]
    }

    /// A statement that the server knows by a name of ours.
    struct Prepared {
        let name: String
        var layout: ColumnLayout?
    }

    /// The server keeps every prepared statement in its memory. Past this number, which no program with its
    /// SQL in files reaches, statements are sent with each call instead.
    static let capacity = 1_000

    private var prepared: [Key: Prepared] = [:]
    private var serial = 0

    var isFull: Bool {
        prepared.count >= Self.capacity
    }

    subscript(key: Key) -> Prepared? {
        prepared[key]
    }

    /// A name for the server that was never used in this session.
    mutating func makeName() -> String {
        serial += 1
        return "s\(serial)"
    }

    mutating func insert(_ name: String, for key: Key) {
        prepared[key] = Prepared(name: name, layout: nil)
    }

    mutating func remember(_ layout: ColumnLayout, for key: Key) {
        prepared[key]?.layout = layout
    }

    /// After the server has lost a statement or its plan does not fit any more; the next call prepares it
    /// anew.
    mutating func forget(_ key: Key) {
        prepared[key] = nil
    }
}
