/// The base types of fields.
enum FITBaseType: UInt8 {
    case enumeration = 0x00
    case int8 = 0x01
    case uint8 = 0x02
    case int16 = 0x83
    case uint16 = 0x84
    case int32 = 0x85
    case uint32 = 0x86
    case string = 0x07
    case float32 = 0x88
    case float64 = 0x89
    case uint8z = 0x0A
    case uint16z = 0x8B
    case uint32z = 0x8C
    case byte = 0x0D
    case int64 = 0x8E
    case uint64 = 0x8F
    case uint64z = 0x90

    /// The size of one value in bytes.
    var size: Int {
        switch self {
        case .enumeration, .int8, .uint8, .string, .uint8z, .byte: 1
        case .int16, .uint16, .uint16z: 2
        case .int32, .uint32, .float32, .uint32z: 4
        case .float64, .int64, .uint64, .uint64z: 8
        }
    }
}

/// The bytes of one field of a message.
struct FITField {
    let bytes: ArraySlice<UInt8>
    let type: FITBaseType
    let isBigEndian: Bool

    /// The first value; nil for texts, and if the device marked the value as missing.
    var number: Double? {
        guard type != .string, bytes.count >= type.size, bytes.count % type.size == 0 else { return nil }
        let own = bytes.prefix(type.size)
        let bits =
            isBigEndian
            ? own.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            : own.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        let ones = UInt64.max >> UInt64(64 - 8 * type.size)
        switch type {
        case .enumeration, .uint8, .uint16, .uint32, .uint64, .byte:
            return bits == ones ? nil : Double(bits)
        case .uint8z, .uint16z, .uint32z, .uint64z: return bits == 0 ? nil : Double(bits)
        case .int8, .int16, .int32, .int64:
            guard bits != (ones >> 1) else { return nil }
            let shift = Int64(64 - 8 * type.size)
            return Double((Int64(bitPattern: bits) << shift) >> shift)
        case .float32:
            let value = Float(bitPattern: UInt32(truncatingIfNeeded: bits))
            return value.isFinite ? Double(value) : nil
        case .float64:
            let value = Double(bitPattern: bits)
            return value.isFinite ? value : nil
        case .string: return nil
        }
    }

    /// The text up to the first zero byte; nil if it is empty.
    var text: String? {
        let own = bytes.prefix { $0 != 0 }
        return own.isEmpty ? nil : String(validating: own, as: UTF8.self)
    }
}
