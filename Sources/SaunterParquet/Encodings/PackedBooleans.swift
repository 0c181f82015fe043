/// The PLAIN encoding of booleans: eight in a byte, from the lowest bit on.
enum PackedBooleans {
    /// - Parameter values: a byte each, 0 or 1.
    static func pack(_ values: [UInt8]) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: (values.count + 7) / 8)
        for (place, value) in values.enumerated() { bytes[place / 8] |= value << (place % 8) }
        return bytes
    }
}
