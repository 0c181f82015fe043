/// Writes Thrift's compact protocol, in which Parquet keeps everything that is not a value: fields by the
/// difference of their numbers, integers zigzag and in as few bytes as they need.
struct CompactProtocol {
    private(set) var bytes: [UInt8] = []
    /// The number of the last field of the structure under way.
    private var last: Int16 = 0

    /// The wire's types, as far as they are used.
    enum Wire: UInt8 {
        case yes = 1
        case no = 2
        case int32 = 5
        case int64 = 6
        case binary = 8
        case list = 9
        case structure = 12
    }

    mutating func field(_ number: Int16, _ value: Bool) {
        header(number, value ? .yes : .no)
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

    /// The head of a list; so many elements are to follow.
    mutating func list(_ number: Int16, of wire: Wire, count: Int) {
        header(number, .list)
        if count < 15 {
            bytes.append(UInt8(count) << 4 | wire.rawValue)
        } else {
            bytes.append(0xF0 | wire.rawValue)
            varint(UInt64(count))
        }
    }

    /// A structure without a number: the element of a list, or what stands at the top.
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

    /// Structures of a list that were written before, each with its end.
    mutating func elements(written: [UInt8]) {
        bytes += written
    }

    private mutating func header(_ number: Int16, _ wire: Wire) {
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
    /// Seven bits a byte, the lowest first; the high bit says that more follow.
    mutating func appendVarint(_ value: UInt64) {
        var rest = value
        while rest > 0x7F {
            append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        append(UInt8(rest))
    }

    /// The lowest byte first.
    mutating func appendLittleEndian(_ value: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: value.littleEndian) { append(contentsOf: $0) }
    }
}
