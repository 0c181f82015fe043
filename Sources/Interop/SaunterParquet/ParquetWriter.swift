/// Writes a Parquet file row by row. It buffers one row group, encodes it and passes it to the sink, so memory does not
/// grow with the number of rows. The bytes depend only on the rows, the columns and the limits.
///
/// If a single value is rejected, the writer is unchanged. After `append` rejected a complete row, or the sink threw an
/// error, the writer must not be used any more.
package struct ParquetWriter {
    private let limits: ParquetLimits
    private var chunks: [ColumnChunk]
    private var footer: FileFooter
    private var offset: Int64 = 0
    /// The number of rows in the current row group.
    private var rows = 0
    /// The number of bytes in the current row group.
    private var bytes = 0
    /// The column of the next value.
    private var columnIndex = 0
    private var isOpen = true

    /// The number of complete rows.
    package private(set) var rowCount = 0

    /// - Parameters:
    ///   - columns: the columns, in their order in each row.
    ///   - metadata: key-value pairs that are stored in the footer.
    ///   - compression: the compression of the pages.
    ///   - limits: how much data is buffered.
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

    /// Adds a complete row.
    package mutating func append(_ row: [ParquetValue?], to sink: ([UInt8]) throws -> Void) throws {
        guard row.count == chunks.count, columnIndex == 0 else {
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

    /// Adds null as the next value of the row.
    package mutating func addNull() throws(ParquetFault) {
        try checkNextColumn()
        try chunks[columnIndex].addNull()
        columnIndex += 1
    }

    /// Adds the next value of the row, to a Boolean column.
    package mutating func add(_ value: Bool) throws(ParquetFault) {
        try checkNextColumn()
        try chunks[columnIndex].add(value)
        endValue(bytes: 1)
    }

    /// Adds the next value of the row, to a column of `int32` or `date`.
    package mutating func add(_ value: Int32) throws(ParquetFault) {
        try checkNextColumn()
        try chunks[columnIndex].add(value)
        endValue(bytes: 4)
    }

    /// Adds the next value of the row, to a column of `int64` or `timestamp`.
    package mutating func add(_ value: Int64) throws(ParquetFault) {
        try checkNextColumn()
        try chunks[columnIndex].add(value)
        endValue(bytes: 8)
    }

    /// Adds the next value of the row, to a column of `double`.
    package mutating func add(_ value: Double) throws(ParquetFault) {
        try checkNextColumn()
        try chunks[columnIndex].add(value)
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

    /// Adds the next value of the row, to a column of `string`. Throws `notUTF8` if the bytes are not UTF-8.
    package mutating func add(utf8 text: UnsafeRawBufferPointer) throws(ParquetFault) {
        try checkNextColumn()
        try chunks[columnIndex].add(text: text)
        endValue(bytes: 4 + text.count)
    }

    /// Ends the row. If the row group is full, passes it to the sink.
    package mutating func endRow(to sink: ([UInt8]) throws -> Void) throws {
        guard isOpen else { throw ParquetFault.closed }
        guard columnIndex == chunks.count else { throw ParquetFault.rowOfWrongLength(columns: chunks.count) }
        columnIndex = 0
        rows += 1
        rowCount += 1
        if rows >= limits.groupRows || bytes >= limits.groupBytes { try endGroup(to: sink) }
    }

    /// Passes the last row group and the footer to the sink. The current row must be complete, and no row may follow.
    package mutating func finish(to sink: ([UInt8]) throws -> Void) throws {
        guard isOpen else { throw ParquetFault.closed }
        guard columnIndex == 0 else { throw ParquetFault.rowOfWrongLength(columns: chunks.count) }
        if rows > 0 { try endGroup(to: sink) }
        isOpen = false
        if offset == 0 { try begin(to: sink) }
        try sink(footer.bytes())
    }

    private func checkNextColumn() throws(ParquetFault) {
        guard isOpen else { throw .closed }
        guard columnIndex < chunks.count else { throw .rowOfWrongLength(columns: chunks.count) }
    }

    private mutating func endValue(bytes count: Int) {
        bytes += count
        columnIndex += 1
    }

    private mutating func begin(to sink: ([UInt8]) throws -> Void) throws {
        try sink(Array("PAR1".utf8))
        offset = 4
    }

    private mutating func endGroup(to sink: ([UInt8]) throws -> Void) throws {
        isOpen = false
        if offset == 0 { try begin(to: sink) }
        let start = offset
        var metadata: [ChunkMetadata] = []
        for columnIndex in chunks.indices {
            let chunk = try chunks[columnIndex].finish(at: offset)
            for piece in chunk.pieces {
                try sink(piece)
                offset += Int64(piece.count)
            }
            metadata.append(chunk.metadata)
        }
        try footer.add(metadata, rows: Int64(rows), offset: start)
        rows = 0
        bytes = 0
        isOpen = true
    }
}
