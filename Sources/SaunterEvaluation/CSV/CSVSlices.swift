/// One record of a CSV text. It is valid only while the text is in memory.
struct CSVSlice {
    /// The range of a field without its quotation marks.
    struct Extent {
        var start: Int
        var end: Int
        var isQuoted = false
        var hasQuotesWithin = false
    }

    let bytes: UnsafeRawBufferPointer
    let extents: [Extent]

    var count: Int { extents.count }

    /// Passes the text of a field to `body`. Null is an empty field without quotation marks, an empty string has
    /// quotation marks.
    func withField<Value>(_ index: Int, _ body: (UnsafeRawBufferPointer?) throws -> Value) rethrows -> Value {
        let extent = extents[index]
        if extent.start == extent.end, !extent.isQuoted { return try body(nil) }
        let text = UnsafeRawBufferPointer(rebasing: bytes[extent.start..<extent.end])
        guard extent.hasQuotesWithin else { return try body(text) }
        // Two adjacent quotation marks represent one.
        var unescaped: [UInt8] = []
        var isSecond = false
        for byte in text {
            isSecond = byte == UInt8(ascii: "\"") && !isSecond
            if !isSecond { unescaped.append(byte) }
        }
        return try unescaped.withUnsafeBytes(body)
    }
}

/// Splits the CSV text of a `COPY` command into records without making a string of each field. A record that is split
/// between two pieces is joined.
struct CSVSlices {
    /// The beginning of a record whose end has not arrived yet.
    private var rest: [UInt8] = []
    /// The fields of the current record.
    private var extents: [CSVSlice.Extent] = []

    /// Passes each record that ends in this piece to `body`.
    mutating func forEachRecord(in piece: [UInt8], _ body: (CSVSlice) throws -> Void) throws {
        let text = rest.isEmpty ? piece : rest + piece
        var offset = 0
        try text.withUnsafeBytes { bytes in
            while let end = record(from: offset, in: bytes) {
                offset = end
                try body(CSVSlice(bytes: bytes, extents: extents))
            }
        }
        rest = Array(text[offset...])
    }

    /// Finds the fields of the record that begins at `start`.
    /// - Returns: the offset of the next record; nil if the record is not complete.
    private mutating func record(from start: Int, in bytes: UnsafeRawBufferPointer) -> Int? {
        extents.removeAll(keepingCapacity: true)
        var offset = start
        while offset < bytes.count {
            var field = CSVSlice.Extent(start: offset, end: offset)
            if bytes[offset] == UInt8(ascii: "\"") {
                field.isQuoted = true
                offset += 1
                field.start = offset
                while offset < bytes.count {
                    if bytes[offset] != UInt8(ascii: "\"") {
                        offset += 1
                    } else if offset + 1 < bytes.count, bytes[offset + 1] == UInt8(ascii: "\"") {
                        field.hasQuotesWithin = true
                        offset += 2
                    } else {
                        break
                    }
                }
                field.end = offset
                offset += 1
            } else {
                while offset < bytes.count, bytes[offset] != UInt8(ascii: ","),
                    bytes[offset] != UInt8(ascii: "\n")
                {
                    offset += 1
                }
                field.end = offset
            }
            guard offset < bytes.count else { return nil }
            extents.append(field)
            offset += 1
            if bytes[offset - 1] == UInt8(ascii: "\n") { return offset }
        }
        return nil
    }
}
