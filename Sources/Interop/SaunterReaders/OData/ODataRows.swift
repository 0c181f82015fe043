import SaunterCore
import SaunterEvaluation

/// Converts rows of a table from CSV to OData JSON.
struct ODataRows {
    let table: Table
    /// The names of the selected properties, in the order of the reply.
    let properties: [String]

    /// - Parameters:
    ///   - csv: a header and the rows.
    ///   - maximum: the maximum number of rows to convert.
    /// - Returns: the rows as JSON objects separated by commas, their number, the key of the last one, and whether the
    ///   CSV has more rows.
    func json(
        _ csv: [UInt8], maximum: Int
    ) throws -> (bytes: [UInt8], rows: Int, last: [String], hasMore: Bool) {
        var unread: [UInt8]? = csv
        var reader = CSVReader {
            defer { unread = nil }
            return unread ?? []
        }
        let header = try reader.next()?.fields ?? []
        let indices = Dictionary(header.enumerated().map { ($1, $0) }) { first, _ in first }
        let columns = properties.compactMap { name in
            table.columns.first { $0.name == name }.map { column in
                (
                    name: JSON.string(name).bytes, type: column.type, index: indices[name] ?? 0,
                    isKey: table.key.contains(name)
                )
            }
        }
        let keys = table.key.map { indices[$0] ?? 0 }
        var bytes: [UInt8] = []
        var last: [String] = []
        var rows = 0
        while let record = try reader.next() {
            guard rows < maximum else { return (bytes, rows, last, true) }
            bytes += rows == 0 ? [UInt8(ascii: "{")] : Array(",\n{".utf8)
            for (position, column) in columns.enumerated() {
                if position > 0 { bytes.append(UInt8(ascii: ",")) }
                bytes += column.name
                bytes.append(UInt8(ascii: ":"))
                bytes += Self.value(record.fields[column.index], column.type, isKey: column.isKey)
            }
            bytes.append(UInt8(ascii: "}"))
            last = keys.map { record.fields[$0] }
            rows += 1
        }
        return (bytes, rows, last, false)
    }

    /// The JSON of a cell. A key must not be null, so an empty cell of a key column is the empty string.
    private static func value(_ text: String, _ type: ColumnType, isKey: Bool) -> [UInt8] {
        if text.isEmpty { return Array((isKey ? "\"\"" : "null").utf8) }
        switch type {
        case .boolean: return Array((text == "1" ? "true" : "false").utf8)
        case .integer, .number:
            // OData writes infinities and NaN as strings.
            return Double(text)?.isFinite == true ? Array(text.utf8) : JSON.string(text).bytes
        case .string, .date, .instant, .local, .time: return JSON.string(text).bytes
        }
    }
}
