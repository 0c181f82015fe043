import SaunterParquet

/// Writes a Parquet file from a CSV text while the text is written. The file is not compressed, so that its bytes do
/// not depend on the version of a library. Dictionaries and run-length encoding keep it small.
struct ParquetFile {
    private var slices = CSVSlices()
    private var rows: TypedRows

    /// - Parameters:
    ///   - key: names of the key columns. Id columns among them are required, because they have a value in every row.
    init(
        _ columns: [Column], key: [String], metadata: [(key: String, value: String)], into file: OutputFile
    ) throws {
        let writer = try ParquetWriter(
            columns.map { column in
                ParquetColumn(
                    column.name, column.type.parquet,
                    isRequired: column.form.isID && key.contains(column.name))
            }, metadata: metadata)
        rows = TypedRows(columns: columns, file: file, writer: writer)
    }

    var rowCount: Int { rows.count }

    /// - Parameter piece: a piece of the CSV text, whose first record is the header.
    mutating func write(_ piece: [UInt8]) throws {
        try slices.forEachRecord(in: piece) { try rows.add($0) }
    }

    mutating func close() throws -> DatasetFile {
        try rows.close()
    }
}

/// Converts each field of a record to the type of its column.
private struct TypedRows {
    let columns: [Column]
    var file: OutputFile
    var writer: ParquetWriter
    private var isPastHeader = false

    var count: Int { writer.rowCount }

    init(columns: [Column], file: OutputFile, writer: ParquetWriter) {
        self.columns = columns
        self.file = file
        self.writer = writer
    }

    mutating func add(_ record: CSVSlice) throws {
        guard isPastHeader else { return isPastHeader = true }
        guard record.count == columns.count else {
            throw ParquetFault.rowOfWrongLength(columns: columns.count)
        }
        for index in columns.indices {
            try record.withField(index) { try add($0, to: columns[index]) }
        }
        try writer.endRow { try file.write($0) }
    }

    mutating func close() throws -> DatasetFile {
        try writer.finish { try file.write($0) }
        return try file.close(rows: writer.rowCount)
    }

    private mutating func add(_ text: UnsafeRawBufferPointer?, to column: Column) throws(ParquetFault) {
        guard let text else { return try writer.addNull() }
        switch column.type.parquet {
        case .boolean:
            switch text.count == 1 ? text.first : nil {
            case UInt8(ascii: "0"): try writer.add(false)
            case UInt8(ascii: "1"): try writer.add(true)
            default: throw .wrongType(column: column.name)
            }
        case .int64:
            guard let value = Int64(String(decoding: text, as: UTF8.self)) else {
                throw .wrongType(column: column.name)
            }
            try writer.add(value)
        case .double:
            guard let value = Double(String(decoding: text, as: UTF8.self)) else {
                throw .wrongType(column: column.name)
            }
            try writer.add(value)
        default: try writer.add(utf8: text)
        }
    }
}

extension ColumnType {
    /// The Parquet type of a column. Dates and times are written as text, as in CSV.
    var parquet: ParquetType {
        switch self {
        case .string, .date, .instant, .local, .time: .string
        case .integer: .int64
        case .number: .double
        case .boolean: .boolean
        }
    }
}
