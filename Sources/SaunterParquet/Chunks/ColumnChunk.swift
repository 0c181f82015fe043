/// The values of one column in the row group under way: pages that are finished, and the page that is being
/// filled. Values go into a dictionary as long as that pays.
struct ColumnChunk {
    let column: ParquetColumn
    private let limits: ParquetLimits
    private let codec: PageCodec

    private var pages: [UInt8] = []
    private var extent = DataPage.Extent()
    private var encodings: Set<DataPage.Encoding> = [.runLength]
    private var rows = 0
    private var statistics = ChunkStatistics()

    private var dictionary: ValueDictionary?
    /// It takes no more values: later ones stand in their pages.
    private var isDictionaryClosed = false
    private var isDictionaryJudged = false

    /// The page under way: a level per row (1 for a value, 0 for null), and the values in one of two forms.
    private var levels: [UInt8] = []
    private var pageRows = 0
    private var places: [UInt32] = []
    private var plain: [UInt8] = []

    init(_ column: ParquetColumn, _ limits: ParquetLimits, _ codec: PageCodec) {
        self.column = column
        self.limits = limits
        self.codec = codec
        dictionary = Self.dictionary(column, limits)
    }

    private static func dictionary(_ column: ParquetColumn, _ limits: ParquetLimits) -> ValueDictionary? {
        // Two values in a bit each have no need of one.
        guard column.type != .boolean else { return nil }
        return ValueDictionary(
            hasLengths: column.type.physical == .byteArray, limit: limits.dictionaryBytes)
    }

    mutating func addNull() throws(ParquetFault) {
        guard !column.isRequired else { throw .nullInRequired(column: column.name) }
        try makeRoom()
        statistics.takeNull()
        levels.append(0)
        pageRows += 1
    }

    mutating func add(_ value: Bool) throws(ParquetFault) {
        guard column.type.physical == .boolean else { throw .wrongType(column: column.name) }
        try makeRoom()
        statistics.take(Int64(value ? 1 : 0))
        plain.append(value ? 1 : 0)
        endValue()
    }

    mutating func add(_ value: Int32) throws(ParquetFault) {
        guard column.type.physical == .int32 else { throw .wrongType(column: column.name) }
        try makeRoom()
        statistics.take(Int64(value))
        try addFixed(value)
    }

    mutating func add(_ value: Int64) throws(ParquetFault) {
        guard column.type.physical == .int64 else { throw .wrongType(column: column.name) }
        try makeRoom()
        statistics.take(value)
        try addFixed(value)
    }

    mutating func add(_ value: Double) throws(ParquetFault) {
        guard column.type.physical == .double else { throw .wrongType(column: column.name) }
        try makeRoom()
        statistics.take(value)
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

    /// Ends the page if it is full, before anything of the next value is taken in.
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
            if let place = dictionary?.place(of: value) {
                if isText, dictionary?.count != known { statistics.take(value) }
                places.append(place)
                return endValue()
            }
            // Full. What the page holds so far still leans on it.
            try endPage()
            isDictionaryClosed = true
        }
        if isText {
            statistics.take(value)
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
        judgeDictionary()
        var body: [UInt8] = []
        if !column.isRequired { appendLevels(to: &body) }
        let encoding: DataPage.Encoding
        // A dictionary without any value is not written, so no page may lean on it.
        if let dictionary, dictionary.count > 0, !isDictionaryClosed {
            encoding = .dictionary
            let width = RunLengthHybrid.width(greatest: UInt32(dictionary.count - 1))
            body.append(UInt8(width))
            RunLengthHybrid.append(places, width: width, to: &body)
        } else {
            encoding = .plain
            body += column.type == .boolean ? PackedBooleans.pack(plain) : plain
        }
        extent += try DataPage.append(body, rows: pageRows, encoding, codec, to: &pages)
        encodings.insert(encoding)
        rows += pageRows
        pageRows = 0
        levels.removeAll(keepingCapacity: true)
        places.removeAll(keepingCapacity: true)
        plain.removeAll(keepingCapacity: true)
    }

    /// A dictionary that holds more than half as many values as the first page with any saves nothing.
    private mutating func judgeDictionary() {
        guard !isDictionaryJudged, !places.isEmpty else { return }
        isDictionaryJudged = true
        guard let dictionary, dictionary.count * 2 > places.count else { return }
        for place in places { plain += dictionary.encoded(place) }
        places.removeAll(keepingCapacity: true)
        self.dictionary = nil
    }

    /// The levels as a run length hybrid, behind the length of that.
    private func appendLevels(to body: inout [UInt8]) {
        var runs: [UInt8] = []
        RunLengthHybrid.append(levels, width: 1, to: &runs)
        body.appendLittleEndian(UInt32(runs.count))
        body += runs
    }

    /// Ends the chunk, and begins that of the next row group.
    /// - Returns: its bytes, the dictionary's page first, and what the footer says of them.
    mutating func finish(at offset: Int64) throws(ParquetFault) -> (pieces: [[UInt8]], about: ChunkMetadata) {
        try endPage()
        var head: [UInt8] = []
        if let dictionary, encodings.contains(.dictionary) {
            extent += try DataPage.append(dictionary, codec, to: &head)
            encodings.insert(.plain)
        }
        let about = ChunkMetadata(
            column: column, codec: codec, encodings: encodings.map(\.rawValue).sorted(), rows: Int64(rows),
            extent: extent, dictionaryOffset: head.isEmpty ? nil : offset,
            dataOffset: offset + Int64(head.count), statistics: statistics)
        let pieces = [head, pages].filter { !$0.isEmpty }
        self = ColumnChunk(column, limits, codec)
        return (pieces, about)
    }
}
