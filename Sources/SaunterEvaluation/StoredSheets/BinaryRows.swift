/// Decodes the rows of a binary `COPY`. Each piece contains complete rows.
struct BinaryRows {
    /// The fields of a row; nil is null.
    typealias Fields = [UnsafeRawBufferPointer?]

    /// The size of the header in bytes: signature (11), flags (4) and length of the extension (4). The extension
    /// follows.
    private static let headerSize = 19

    private var isPastHeader = false
    private let fieldCount: Int

    init(fieldCount: Int) {
        self.fieldCount = fieldCount
    }

    /// Passes the fields of each row of a piece to `body`. They are valid only during the call.
    /// - Throws: `DatasetFault.damaged` if the piece is malformed, or the error of `body`.
    mutating func forEachRow(in piece: [UInt8], _ body: (Fields) throws -> Void) throws {
        try piece.withUnsafeBytes { bytes in
            var reader = BinaryReader(bytes)
            if !isPastHeader {
                reader.skip(Self.headerSize - 4)
                reader.skip(Int(try reader.integer(as: Int32.self)))
                isPastHeader = true
            }
            var fields = Fields(repeating: nil, count: fieldCount)
            while !reader.isAtEnd {
                let count = Int(try reader.integer(as: Int16.self))
                // The count −1 marks the end of the data.
                guard count >= 0 else { return }
                guard count == fieldCount else { throw BinaryReader.fault }
                for index in 0..<fieldCount { fields[index] = try reader.field() }
                try body(fields)
            }
        }
    }
}

/// Reads big-endian binary data of `COPY` with bounds checks.
struct BinaryReader {
    static let fault = DatasetFault.damaged(["the database sent rows that cannot be read"])

    private let bytes: UnsafeRawBufferPointer
    private var offset = 0

    init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    var isAtEnd: Bool { offset >= bytes.count }

    mutating func skip(_ count: Int) {
        offset += min(max(0, count), bytes.count - offset)
    }

    mutating func integer<Value: FixedWidthInteger>(as type: Value.Type) throws(DatasetFault) -> Value {
        let size = MemoryLayout<Value>.size
        guard bytes.count - offset >= size else { throw Self.fault }
        defer { offset += size }
        return Value(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: Value.self))
    }

    /// Reads a length and as many bytes; nil for null.
    mutating func field() throws(DatasetFault) -> UnsafeRawBufferPointer? {
        let count = Int(try integer(as: Int32.self))
        guard count >= 0 else { return nil }
        guard bytes.count - offset >= count else { throw Self.fault }
        defer { offset += count }
        return UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + count])
    }
}

extension UnsafeRawBufferPointer {
    /// The integer in a binary field of 1, 2, 4 or 8 bytes.
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
