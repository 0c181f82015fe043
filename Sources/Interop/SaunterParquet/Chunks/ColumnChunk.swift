/// The values of one column in the current row group: finished pages, and the current page. Values are stored in a
/// dictionary as long as that saves space.
struct ColumnChunk {
    let column: ParquetColumn
    private let limits: ParquetLimits
    private let codec: PageCodec

    private var pages: [UInt8] = []
    private var sizes = PageWriter.Sizes()
    private var encodings: Set<PageWriter.Encoding> = [.runLength]
    private var rows = 0
    private var statistics = ChunkStatistics()

    private var dictionary: ValueDictionary?
    /// Whether the dictionary is full; further values are stored in their pages.
    private var isDictionaryClosed = false
    private var isDictionaryEvaluated = false

    /// The current page: one level per row (1 for a value, 0 for null), and the values either as dictionary indices or
    /// in the PLAIN encoding.
    private var levels: [UInt8] = []
    private var pageRows = 0
    private var dictionaryIndices: [UInt32] = []
    private var plain: [UInt8] = []

    init(_ column: ParquetColumn, _ limits: ParquetLimits, _ codec: PageCodec) {
        self.column = column
        self.limits = limits
        self.codec = codec
        dictionary = Self.dictionary(column, limits)
    }

    private static func dictionary(_ column: ParquetColumn, _ limits: ParquetLimits) -> ValueDictionary? {
        // Booleans use one bit each, so a dictionary saves nothing.
        guard column.type != .boolean else { return nil }
        return ValueDictionary(
            hasLengths: column.type.physical == .byteArray, limit: limits.dictionaryBytes)
    }

    mutating func addNull() throws(ParquetFault) {
        guard !column.isRequired else { throw .nullInRequired(column: column.name) }
        try makeRoom()
        statistics.includeNull()
        levels.append(0)
        pageRows += 1
    }

    mutating func add(_ value: Bool) throws(ParquetFault) {
        guard column.type.physical == .boolean else { throw .wrongType(column: column.name) }
        try makeRoom()
        statistics.include(Int64(value ? 1 : 0))
        plain.append(value ? 1 : 0)
        endValue()
    }

    mutating func add(_ value: Int32) throws(ParquetFault) {
        guard column.type.physical == .int32 else { throw .wrongType(column: column.name) }
        try makeRoom()
        statistics.include(Int64(value))
        try addFixed(value)
    }

    mutating func add(_ value: Int64) throws(ParquetFault) {
        guard column.type.physical == .int64 else { throw .wrongType(column: column.name) }
        try makeRoom()
        statistics.include(value)
        try addFixed(value)
    }

    mutating func add(_ value: Double) throws(ParquetFault) {
        guard column.type.physical == .double else { throw .wrongType(column: column.name) }
        try makeRoom()
        statistics.include(value)
        try addFixed(value.bitPattern)
    }

    mutating func add(text value: UnsafeRawBufferPointer) throws(ParquetFault) {
        guard column.type.physical == .byteArray else { throw .wrongType(column: column.name) }
        guard value.count <= limits.valueBytes else {
            throw .valueTooLong(column: column.name, bytes: value.count, limit: limits.valueBytes)
        }
        guard UTF8Text.isValid(value) else { throw .notUTF8(column: column.name) }
        try makeRoom()
        try addEncoded(value)
    }

    /// Ends the page if it is full, before the next value is added.
    private mutating func makeRoom() throws(ParquetFault) {
        if pageRows >= limits.pageRows || plain.count >= limits.pageBytes { try endPage() }
    }

    private mutating func addFixed(_ value: some FixedWidthInteger) throws(ParquetFault) {
        let little = value.littleEndian
        try withUnsafeBytes(of: little) { (bytes) throws(ParquetFault) in try addEncoded(bytes) }
    }

    private mutating func addEncoded(_ value: UnsafeRawBufferPointer) throws(ParquetFault) {
        let isText = column.type.physical == .byteArray
        if !isDictionaryClosed, let known = dictionary?.count {
            if let index = dictionary?.index(of: value) {
                if isText, dictionary?.count != known { statistics.include(value) }
                dictionaryIndices.append(index)
                return endValue()
            }
            // The dictionary is full. The values of the current page still use it, so the page ends here.
            try endPage()
            isDictionaryClosed = true
        }
        if isText {
            statistics.include(value)
            plain.appendLittleEndian(UInt32(value.count))
        }
        plain.append(contentsOf: value)
        endValue()
    }

    private mutating func endValue() {
        if !column.isRequired { levels.append(1) }
        pageRows += 1
    }

    private mutating func endPage() throws(ParquetFault) {
        guard pageRows > 0 else { return }
        dropUselessDictionary()
        var body: [UInt8] = []
        if !column.isRequired { appendLevels(to: &body) }
        let encoding: PageWriter.Encoding
        // An empty dictionary is not written, so no page may use it.
        if let dictionary, dictionary.count > 0, !isDictionaryClosed {
            encoding = .dictionary
            let width = RunLengthHybrid.width(greatest: UInt32(dictionary.count - 1))
            body.append(UInt8(width))
            RunLengthHybrid.append(dictionaryIndices, width: width, to: &body)
        } else {
            encoding = .plain
            body += column.type == .boolean ? PackedBooleans.pack(plain) : plain
        }
        sizes += try PageWriter.append(body, rows: pageRows, encoding, codec, to: &pages)
        encodings.insert(encoding)
        rows += pageRows
        pageRows = 0
        levels.removeAll(keepingCapacity: true)
        dictionaryIndices.removeAll(keepingCapacity: true)
        plain.removeAll(keepingCapacity: true)
    }

    /// Removes the dictionary if the first page shows that it saves nothing: it has more than half as many entries as
    /// the page has values.
    private mutating func dropUselessDictionary() {
        guard !isDictionaryEvaluated, !dictionaryIndices.isEmpty else { return }
        isDictionaryEvaluated = true
        guard let dictionary, dictionary.count * 2 > dictionaryIndices.count else { return }
        for index in dictionaryIndices { plain += dictionary.encoded(index) }
        dictionaryIndices.removeAll(keepingCapacity: true)
        self.dictionary = nil
    }

    /// Appends the levels as a run-length hybrid, after its length.
    private func appendLevels(to body: inout [UInt8]) {
        var runs: [UInt8] = []
        RunLengthHybrid.append(levels, width: 1, to: &runs)
        body.appendLittleEndian(UInt32(runs.count))
        body += runs
    }

    /// Ends the chunk and begins the chunk of the next row group.
    /// - Returns: the bytes, with the dictionary page first, and the metadata for the footer.
    mutating func finish(at offset: Int64) throws(ParquetFault) -> (
        pieces: [[UInt8]], metadata: ChunkMetadata
    ) {
        try endPage()
        var head: [UInt8] = []
        if let dictionary, encodings.contains(.dictionary) {
            sizes += try PageWriter.append(dictionary, codec, to: &head)
            encodings.insert(.plain)
        }
        let metadata = ChunkMetadata(
            column: column, codec: codec, encodings: encodings.map(\.rawValue).sorted(), rows: Int64(rows),
            sizes: sizes, dictionaryOffset: head.isEmpty ? nil : offset,
            dataOffset: offset + Int64(head.count), statistics: statistics)
        let pieces = [head, pages].filter { !$0.isEmpty }
        self = ColumnChunk(column, limits, codec)
        return (pieces, metadata)
    }
}
