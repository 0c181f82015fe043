import SaunterCore
import SaunterEvaluation

/// Rows of a table as OData's JSON, made of their CSV.
struct ODataRows {
    let table: Table
    /// Names of the properties that are told, in order.
    let shown: [String]

    /// The rows as JSON objects with commas between, and the key of the last.
    /// - Parameter most: rows beyond are left out.
    func json(_ csv: [UInt8], most: Int) throws -> (bytes: [UInt8], rows: Int, last: [String], isMore: Bool) {
        var rest: [UInt8]? = csv
        var reader = CSVReader {
            defer { rest = nil }
            return rest ?? []
        }
        let header = try reader.next()?.fields ?? []
        let places = Dictionary(header.enumerated().map { ($1, $0) }) { first, _ in first }
        let columns = shown.compactMap { name in
            table.columns.first { $0.name == name }.map { column in
                (
                    name: JSON.string(name).bytes, type: column.type, place: places[name] ?? 0,
                    isKey: table.key.contains(name)
                )
            }
        }
        let keys = table.key.map { places[$0] ?? 0 }
        var bytes: [UInt8] = []
        var last: [String] = []
        var rows = 0
        while let record = try reader.next() {
            guard rows < most else { return (bytes, rows, last, true) }
            bytes += rows == 0 ? [UInt8(ascii: "{")] : Array(",\n{".utf8)
            for (index, column) in columns.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                bytes += column.name
                bytes.append(UInt8(ascii: ":"))
                bytes += Self.value(record.fields[column.place], column.type, isKey: column.isKey)
            }
            bytes.append(UInt8(ascii: "}"))
            last = keys.map { record.fields[$0] }
            rows += 1
        }
        return (bytes, rows, last, false)
    }

    /// A cell. A key has no null, so a blank in one is the empty text.
    private static func value(_ text: String, _ type: ColumnType, isKey: Bool) -> [UInt8] {
        if text.isEmpty { return Array((isKey ? "\"\"" : "null").utf8) }
        switch type {
        case .boolean: return Array((text == "1" ? "true" : "false").utf8)
        case .integer, .number:
            // Infinities and what is no number are texts in OData.
            return Double(text)?.isFinite == true ? Array(text.utf8) : JSON.string(text).bytes
        case .string, .date, .instant, .local, .time: return JSON.string(text).bytes
        }
    }
}
