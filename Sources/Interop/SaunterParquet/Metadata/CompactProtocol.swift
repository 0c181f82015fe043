/// Writes the compact protocol of Thrift, which Parquet uses for everything except values. A field number is stored as
/// the difference to the previous field number, and integers as zigzag varints.
struct CompactProtocol {
    private(set) var bytes: [UInt8] = []
    /// The number of the last field of the current structure.
    private var last: Int16 = 0

    /// The wire types that Parquet needs.
    enum WireType: UInt8 {
        case booleanTrue = 1
        case booleanFalse = 2
        case int32 = 5
        case int64 = 6
        case binary = 8
        case list = 9
        case structure = 12
    }

    mutating func field(_ number: Int16, _ value: Bool) {
        header(number, value ? .booleanTrue : .booleanFalse)
    }

    mutating func field(_ number: Int16, _ value: Int32) {
        header(number, .int32)
        varint(Self.zigzag(Int64(value)))
    }

    mutating func field(_ number: Int16, _ value: Int64) {
        header(number, .int64)
        varint(Self.zigzag(value))
    }

    mutating func field(_ number: Int16, _ value: some Collection<UInt8>) {
        header(number, .binary)
        element(value)
    }

    mutating func field(_ number: Int16, _ value: String) {
        field(number, value.utf8)
    }

    mutating func structure(_ number: Int16, _ body: (inout CompactProtocol) -> Void = { _ in }) {
        header(number, .structure)
        element(body)
    }

    /// Begins a list; `count` elements must follow.
    mutating func list(_ number: Int16, of wire: WireType, count: Int) {
        header(number, .list)
        if count < 15 {
            bytes.append(UInt8(count) << 4 | wire.rawValue)
        } else {
            bytes.append(0xF0 | wire.rawValue)
            varint(UInt64(count))
        }
    }

    /// Writes a structure without a field number: the element of a list, or the root.
    mutating func element(_ body: (inout CompactProtocol) -> Void) {
        let outer = last
        last = 0
        body(&self)
        bytes.append(0)
        last = outer
    }

    mutating func element(_ value: Int32) {
        varint(Self.zigzag(Int64(value)))
    }

    mutating func element(_ value: some Collection<UInt8>) {
        varint(UInt64(value.count))
        bytes += value
    }

    /// Appends encoded elements of a list.
    mutating func elements(written: [UInt8]) {
        bytes += written
    }

    private mutating func header(_ number: Int16, _ wire: WireType) {
        let step = number - last
        if (1...15).contains(step) {
            bytes.append(UInt8(step) << 4 | wire.rawValue)
        } else {
            bytes.append(wire.rawValue)
            varint(Self.zigzag(Int64(number)))
        }
        last = number
    }

    private mutating func varint(_ value: UInt64) {
        bytes.appendVarint(value)
    }

    private static func zigzag(_ value: Int64) -> UInt64 {
        UInt64(bitPattern: value << 1 ^ value >> 63)
    }
}

extension [UInt8] {
    /// Appends a varint: seven bits per byte, lowest first; the high bit is set if more bytes follow.
    mutating func appendVarint(_ value: UInt64) {
        var rest = value
        while rest > 0x7F {
            append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        append(UInt8(rest))
    }

    /// Appends the bytes of a number, lowest first.
    mutating func appendLittleEndian(_ value: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: value.littleEndian) { append(contentsOf: $0) }
    }
}
