/// Writes a Parquet file row by row. A row group is held in memory, encoded, and handed on when it is full, so
/// that memory does not grow with the rows; nothing but the rows, the columns and the limits decides the bytes.
///
/// A single value that is refused leaves the writer as it was. Once a whole row was refused or a sink has thrown,
/// the writer is of no use.
package struct ParquetWriter {
    private let limits: ParquetLimits
    private var chunks: [ColumnChunk]
    private var footer: FileFooter
    private var offset: Int64 = 0
    /// Of the row group under way.
    private var rows = 0
    private var bytes = 0
    /// The column that the next value is of.
    private var place = 0
    private var isOpen = true

    /// How many rows were ended.
    package private(set) var rowCount = 0

    /// - Parameters:
    ///   - metadata: words about the file, for whoever looks for their keys.
    /// - Throws: `noColumns` or `columnTwice`.
    package init(
        _ columns: [ParquetColumn], metadata: [(key: String, value: String)] = [],
        compression: ParquetCompression = .none, limits: ParquetLimits = ParquetLimits()
    ) throws(ParquetFault) {
        guard !columns.isEmpty else { throw .noColumns }
        var names: Set<String> = []
        for column in columns where !names.insert(column.name).inserted {
            throw .columnTwice(column.name)
        }
        self.limits = limits
        chunks = columns.map { ColumnChunk($0, limits, PageCodec(compression)) }
        footer = FileFooter(columns: columns, metadata: metadata)
    }

    /// Adds a whole row.
    package mutating func append(_ row: [ParquetValue?], to sink: ([UInt8]) throws -> Void) throws {
        guard row.count == chunks.count, place == 0 else {
            throw ParquetFault.rowOfWrongLength(columns: chunks.count)
        }
        for value in row {
            switch value {
            case nil: try addNull()
            case .boolean(let value): try add(value)
            case .int32(let value): try add(value)
            case .int64(let value): try add(value)
            case .double(let value): try add(value)
            case .string(let value): try add(value)
            }
        }
        try endRow(to: sink)
    }

    /// Adds the next value of the row, here null.
    package mutating func addNull() throws(ParquetFault) {
        try checkPlace()
        try chunks[place].addNull()
        place += 1
    }

    /// Adds the next value of the row, to a column of booleans.
    package mutating func add(_ value: Bool) throws(ParquetFault) {
        try checkPlace()
        try chunks[place].add(value)
        endValue(bytes: 1)
    }

    /// Adds the next value of the row, to a column of `int32` or `date`.
    package mutating func add(_ value: Int32) throws(ParquetFault) {
        try checkPlace()
        try chunks[place].add(value)
        endValue(bytes: 4)
    }

    /// Adds the next value of the row, to a column of `int64` or `timestamp`.
    package mutating func add(_ value: Int64) throws(ParquetFault) {
        try checkPlace()
        try chunks[place].add(value)
        endValue(bytes: 8)
    }

    /// Adds the next value of the row, to a column of `double`.
    package mutating func add(_ value: Double) throws(ParquetFault) {
        try checkPlace()
        try chunks[place].add(value)
        endValue(bytes: 8)
    }

    /// Adds the next value of the row, to a column of `string`.
    package mutating func add(_ value: String) throws(ParquetFault) {
        var value = value
        let fault = value.withUTF8 { text in
            do throws(ParquetFault) {
                try add(utf8: UnsafeRawBufferPointer(text))
                return ParquetFault?.none
            } catch {
                return error
            }
        }
        if let fault { throw fault }
    }

    /// Adds the next value of the row, to a column of `string`; bytes that are no UTF-8 are refused.
    package mutating func add(utf8 text: UnsafeRawBufferPointer) throws(ParquetFault) {
        try checkPlace()
        try chunks[place].add(text: text)
        endValue(bytes: 4 + text.count)
    }

    /// Ends the row, and hands on the row group if it is full.
    package mutating func endRow(to sink: ([UInt8]) throws -> Void) throws {
        guard isOpen else { throw ParquetFault.closed }
        guard place == chunks.count else { throw ParquetFault.rowOfWrongLength(columns: chunks.count) }
        place = 0
        rows += 1
        rowCount += 1
        if rows >= limits.groupRows || bytes >= limits.groupBytes { try endGroup(to: sink) }
    }

    /// Hands on what is left, and the footer. No row may be under way, and none may follow.
    package mutating func finish(to sink: ([UInt8]) throws -> Void) throws {
        guard isOpen else { throw ParquetFault.closed }
        guard place == 0 else { throw ParquetFault.rowOfWrongLength(columns: chunks.count) }
        if rows > 0 { try endGroup(to: sink) }
        isOpen = false
        if offset == 0 { try begin(to: sink) }
        try sink(footer.bytes())
    }

    private func checkPlace() throws(ParquetFault) {
        guard isOpen else { throw .closed }
        guard place < chunks.count else { throw .rowOfWrongLength(columns: chunks.count) }
    }

    private mutating func endValue(bytes count: Int) {
        bytes += count
        place += 1
    }

    private mutating func begin(to sink: ([UInt8]) throws -> Void) throws {
        try sink(Array("PAR1".utf8))
        offset = 4
    }

    private mutating func endGroup(to sink: ([UInt8]) throws -> Void) throws {
        isOpen = false
        if offset == 0 { try begin(to: sink) }
        let start = offset
        var about: [ChunkMetadata] = []
        for place in chunks.indices {
            let chunk = try chunks[place].finish(at: offset)
            for piece in chunk.pieces {
                try sink(piece)
                offset += Int64(piece.count)
            }
            about.append(chunk.about)
        }
        try footer.add(about, rows: Int64(rows), offset: start)
        rows = 0
        bytes = 0
        isOpen = true
    }
}
