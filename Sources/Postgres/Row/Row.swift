/// One row of a result. Values are read by column name; a value of the wrong type, or NULL where a value is
/// asked for, is an error that names row and column.
package struct Row: Sendable {
    let answer: Answer
    let layout: ColumnLayout
    let statement: String?
    let index: Int

    /// The value of a column that is not NULL.
    package func get<Value: PostgresDecodable>(
        _ column: String, as type: Value.Type = Value.self
    ) throws(DatabaseError) -> Value {
        try required(column, "\(Value.self)", Value.decode)
    }

    /// The value of a column, nil when it is NULL.
    package func getOptional<Value: PostgresDecodable>(
        _ column: String, as type: Value.Type = Value.self
    ) throws(DatabaseError) -> Value? {
        try optional(column, "\(Value.self)", Value.decode)
    }

    /// Unix milliseconds (UTC) of a `timestamptz`, rounded down.
    package func timestamp(_ column: String) throws(DatabaseError) -> Int64 {
        try required(column, "timestamptz", TimeDecoding.milliseconds)
    }

    /// Unix milliseconds (UTC) of a `timestamptz`, nil when it is NULL.
    package func timestampOptional(_ column: String) throws(DatabaseError) -> Int64? {
        try optional(column, "timestamptz", TimeDecoding.milliseconds)
    }

    /// Days since 1970-01-01 of a `date`.
    package func date(_ column: String) throws(DatabaseError) -> Int {
        try required(column, "date", TimeDecoding.days)
    }

    /// Days since 1970-01-01 of a `date`, nil when it is NULL.
    package func dateOptional(_ column: String) throws(DatabaseError) -> Int? {
        try optional(column, "date", TimeDecoding.days)
    }

    /// Unix milliseconds (UTC) of each element of a `timestamptz[]` without NULLs.
    package func timestamps(_ column: String) throws(DatabaseError) -> [Int64] {
        try required(column, "timestamptz[]") { TimeDecoding.elements($0, TimeDecoding.milliseconds) }
    }

    /// Days since 1970-01-01 of each element of a `date[]` without NULLs.
    package func dates(_ column: String) throws(DatabaseError) -> [Int] {
        try required(column, "date[]") { TimeDecoding.elements($0, TimeDecoding.days) }
    }

    /// Whether a column is NULL.
    package func isNull(_ column: String) throws(DatabaseError) -> Bool {
        try optional(column, "") { _ in true } == nil
    }

    private func required<Value>(
        _ column: String, _ wanted: @autoclosure () -> String, _ decode: (BinaryValue) -> Value?
    ) throws(DatabaseError) -> Value {
        guard let value = try optional(column, wanted(), decode) else { throw fault(column, "is NULL") }
        return value
    }

    private func optional<Value>(
        _ column: String, _ wanted: @autoclosure () -> String, _ decode: (BinaryValue) -> Value?
    ) throws(DatabaseError) -> Value? {
        guard let place = layout.index(of: column) else { throw fault(column, "no such column") }
        guard let value = answer.value(row: index, column: place, type: layout.columns[place].type) else {
            return nil
        }
        guard let decoded = decode(value) else {
            throw fault(column, "a value of \(value.type) does not fit \(wanted())")
        }
        return decoded
    }

    private func fault(_ column: String, _ reason: String) -> DatabaseError {
        DatabaseError(.decode(row: index, column: column, reason: reason), statement: statement)
    }
}
