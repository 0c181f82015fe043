/// The rows of a binary COPY, as its pieces of whole rows come.
struct BinaryRows {
    /// Fields of a row; nil is null.
    typealias Fields = [UnsafeRawBufferPointer?]

    private static let header = 19

    private var isPastHeader = false
    private let fieldCount: Int

    init(fieldCount: Int) {
        self.fieldCount = fieldCount
    }

    /// Hands over the fields of each row, to be looked at while the piece is there.
    /// - Throws: `DatasetFault.damaged` for what is no such row, or what the body throws.
    mutating func take(_ piece: [UInt8], _ body: (Fields) throws -> Void) throws {
        try piece.withUnsafeBytes { bytes in
            var reader = BinaryReader(bytes)
            if !isPastHeader {
                reader.skip(Self.header - 4)
                reader.skip(Int(try reader.integer(as: Int32.self)))
                isPastHeader = true
            }
            var fields = Fields(repeating: nil, count: fieldCount)
            while !reader.isAtEnd {
                let count = Int(try reader.integer(as: Int16.self))
                guard count >= 0 else { return }
                guard count == fieldCount else { throw BinaryReader.fault }
                for place in 0..<fieldCount { fields[place] = try reader.field() }
                try body(fields)
            }
        }
    }
}

/// Reads what COPY sends in binary form, big-endian, and never beyond the end.
struct BinaryReader {
    static let fault = DatasetFault.damaged(["the database sent rows that cannot be read"])

    private let bytes: UnsafeRawBufferPointer
    private var place = 0

    init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    var isAtEnd: Bool { place >= bytes.count }

    mutating func skip(_ count: Int) {
        place += min(max(0, count), bytes.count - place)
    }

    mutating func integer<Value: FixedWidthInteger>(as type: Value.Type) throws(DatasetFault) -> Value {
        let size = MemoryLayout<Value>.size
        guard bytes.count - place >= size else { throw Self.fault }
        defer { place += size }
        return Value(bigEndian: bytes.loadUnaligned(fromByteOffset: place, as: Value.self))
    }

    /// A length and so many bytes; nil for null.
    mutating func field() throws(DatasetFault) -> UnsafeRawBufferPointer? {
        let count = Int(try integer(as: Int32.self))
        guard count >= 0 else { return nil }
        guard bytes.count - place >= count else { throw Self.fault }
        defer { place += count }
        return UnsafeRawBufferPointer(rebasing: bytes[place..<place + count])
    }
}

extension UnsafeRawBufferPointer {
    /// The integer that a binary field holds, of 1, 2, 4 or 8 bytes.
    func binaryInteger() throws(DatasetFault) -> Int64 {
        var reader = BinaryReader(self)
        return switch count {
        case 1: Int64(try reader.integer(as: UInt8.self))
        case 2: Int64(try reader.integer(as: Int16.self))
        case 4: Int64(try reader.integer(as: Int32.self))
        case 8: try reader.integer(as: Int64.self)
        default: throw BinaryReader.fault
        }
    }
}
