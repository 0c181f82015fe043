#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// One row of a result. The caller reads values by column name. A wrong type is an error, and so is NULL if the caller
/// requires a value. The error names the row and the column.
package struct Row: Sendable {
    let result: ServerResult
    let layout: ColumnLayout
    let statement: String?
    let index: Int

    /// The value of a column that is not NULL.
    package func get<Value: PostgresDecodable>(
        _ column: String, as type: Value.Type = Value.self
    ) throws(DatabaseError) -> Value {
        try required(column, "\(Value.self)", Value.decode)
    }

    /// The value of a column; nil if it is NULL.
    package func getOptional<Value: PostgresDecodable>(
        _ column: String, as type: Value.Type = Value.self
    ) throws(DatabaseError) -> Value? {
        try optional(column, "\(Value.self)", Value.decode)
    }

    /// Unix milliseconds (UTC) of a `timestamptz`, rounded down.
    package func timestamp(_ column: String) throws(DatabaseError) -> Int64 {
        try required(column, "timestamptz", TimeDecoding.milliseconds)
    }

    /// Unix milliseconds (UTC) of a `timestamptz`, rounded down; nil if it is NULL.
    package func timestampOptional(_ column: String) throws(DatabaseError) -> Int64? {
        try optional(column, "timestamptz", TimeDecoding.milliseconds)
    }

    /// Days since 1970-01-01 of a `date`.
    package func date(_ column: String) throws(DatabaseError) -> Int {
        try required(column, "date", TimeDecoding.days)
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

    @inline(__always)
    fileprivate func required<Value>(
        _ column: String, _ typeName: @autoclosure () -> String, _ decode: (BinaryValue) -> Value?
    ) throws(DatabaseError) -> Value {
        guard let value = try optional(column, typeName(), decode) else { throw fault(column, "is NULL") }
        return value
    }

    @inline(__always)
    fileprivate func optional<Value>(
        _ column: String, _ typeName: @autoclosure () -> String, _ decode: (BinaryValue) -> Value?
    ) throws(DatabaseError) -> Value? {
        guard let columnIndex = layout.index(of: column) else { throw fault(column, "no such column") }
        guard
            let value = result.value(row: index, column: columnIndex, type: layout.columns[columnIndex].type)
        else { return nil }
        guard let decoded = decode(value) else {
            throw fault(column, "a value of \(value.type) does not fit \(typeName())")
        }
        return decoded
    }

    private func fault(_ column: String, _ reason: String) -> DatabaseError {
        DatabaseError(.decode(row: index, column: column, reason: reason), statement: statement)
    }
}

/// Overloads for the types of most columns. If another module calls the generic functions, Swift looks up the type at
/// run time, which costs more than reading the value.
extension Row {
    /// The text of the column. Throws if it is NULL or of another type.
    package func get(_ column: String, as type: String.Type = String.self) throws(DatabaseError) -> String {
        try required(column, "String", String.decode)
    }

    /// The UUID of the column. Throws if it is NULL or of another type.
    package func get(_ column: String, as type: UUID.Type = UUID.self) throws(DatabaseError) -> UUID {
        try required(column, "UUID", UUID.decode)
    }

    /// The integer of the column. Throws if it is NULL, of another type or too large.
    package func get(_ column: String, as type: Int.Type = Int.self) throws(DatabaseError) -> Int {
        try required(column, "Int", Int.decode)
    }

    /// The boolean of the column. Throws if it is NULL or of another type.
    package func get(_ column: String, as type: Bool.Type = Bool.self) throws(DatabaseError) -> Bool {
        try required(column, "Bool", Bool.decode)
    }

    /// The number of the column. Throws if it is NULL or not a number.
    package func get(_ column: String, as type: Double.Type = Double.self) throws(DatabaseError) -> Double {
        try required(column, "Double", Double.decode)
    }

    /// The bytes of the column. Throws if it is NULL or of another type.
    package func get(_ column: String, as type: [UInt8].Type = [UInt8].self) throws(DatabaseError) -> [UInt8]
    {
        try required(column, "[UInt8]", [UInt8].decode)
    }

    /// The small integers of the column. Throws if it is NULL, of another type or contains NULL.
    package func get(_ column: String, as type: [Int16].Type = [Int16].self) throws(DatabaseError) -> [Int16]
    {
        try required(column, "[Int16]", [Int16].decode)
    }

    /// The numbers of the column; nil for NULL elements. Throws if it is NULL or of another type.
    package func get(
        _ column: String, as type: [Double?].Type = [Double?].self
    ) throws(DatabaseError) -> [Double?] {
        try required(column, "[Double?]", [Double?].decode)
    }

    /// The text of the column; nil for NULL. Throws if it is of another type.
    package func getOptional(
        _ column: String, as type: String.Type = String.self
    ) throws(DatabaseError) -> String? {
        try optional(column, "String", String.decode)
    }

    /// The UUID of the column; nil for NULL. Throws if it is of another type.
    package func getOptional(
        _ column: String, as type: UUID.Type = UUID.self
    ) throws(DatabaseError) -> UUID? {
        try optional(column, "UUID", UUID.decode)
    }

    /// The integer of the column; nil for NULL. Throws if it is of another type or too large.
    package func getOptional(
        _ column: String, as type: Int.Type = Int.self
    ) throws(DatabaseError) -> Int? {
        try optional(column, "Int", Int.decode)
    }

    /// The number of the column; nil for NULL. Throws if it is not a number.
    package func getOptional(
        _ column: String, as type: Double.Type = Double.self
    ) throws(DatabaseError) -> Double? {
        try optional(column, "Double", Double.decode)
    }
}
