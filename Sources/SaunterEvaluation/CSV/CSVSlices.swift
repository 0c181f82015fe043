/// One record of a CSV text, to be looked at while the text is there.
struct CSVSlice {
    /// Where a field lies, without its quotes.
    struct Extent {
        var start: Int
        var end: Int
        var isQuoted = false
        var hasQuotesWithin = false
    }

    let bytes: UnsafeRawBufferPointer
    let extents: [Extent]

    var count: Int { extents.count }

    /// A field's text; nil for null, which is nothing at all, where an empty text stands in quotes.
    func withField<Value>(_ place: Int, _ body: (UnsafeRawBufferPointer?) throws -> Value) rethrows -> Value {
        let extent = extents[place]
        if extent.start == extent.end, !extent.isQuoted { return try body(nil) }
        let text = UnsafeRawBufferPointer(rebasing: bytes[extent.start..<extent.end])
        guard extent.hasQuotesWithin else { return try body(text) }
        var single: [UInt8] = []
        var isSecond = false
        for byte in text {
            isSecond = byte == UInt8(ascii: "\"") && !isSecond
            if !isSecond { single.append(byte) }
        }
        return try single.withUnsafeBytes(body)
    }
}

/// Splits the CSV text that COPY makes into records, piece by piece and without making a string of each field.
/// A record that is cut between two pieces is put together.
struct CSVSlices {
    /// The beginning of a record whose end has not come.
    private var rest: [UInt8] = []
    private var extents: [CSVSlice.Extent] = []

    /// Hands over each record that ends in this piece.
    mutating func take(_ piece: [UInt8], _ body: (CSVSlice) throws -> Void) throws {
        let text = rest.isEmpty ? piece : rest + piece
        var place = 0
        try text.withUnsafeBytes { bytes in
            while let end = record(from: place, in: bytes) {
                place = end
                try body(CSVSlice(bytes: bytes, extents: extents))
            }
        }
        rest = Array(text[place...])
    }

    /// Finds the fields of the record that begins at `start`.
    /// - Returns: where the next record begins; nil when this one has no end yet.
    private mutating func record(from start: Int, in bytes: UnsafeRawBufferPointer) -> Int? {
        extents.removeAll(keepingCapacity: true)
        var place = start
        while place < bytes.count {
            var field = CSVSlice.Extent(start: place, end: place)
            if bytes[place] == UInt8(ascii: "\"") {
                field.isQuoted = true
                place += 1
                field.start = place
                while place < bytes.count {
                    if bytes[place] != UInt8(ascii: "\"") {
                        place += 1
                    } else if place + 1 < bytes.count, bytes[place + 1] == UInt8(ascii: "\"") {
                        field.hasQuotesWithin = true
                        place += 2
                    } else {
                        break
                    }
                }
                field.end = place
                place += 1
            } else {
                while place < bytes.count, bytes[place] != UInt8(ascii: ","),
                    bytes[place] != UInt8(ascii: "\n")
                {
                    place += 1
                }
                field.end = place
            }
            guard place < bytes.count else { return nil }
            extents.append(field)
            place += 1
            if bytes[place - 1] == UInt8(ascii: "\n") { return place }
        }
        return nil
    }
}
