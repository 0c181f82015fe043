/// The PLAIN encoding of Booleans: eight per byte, from the lowest bit.
enum PackedBooleans {
    /// - Parameter values: one byte per Boolean, 0 or 1.
    static func pack(_ values: [UInt8]) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: (values.count + 7) / 8)
        for (index, value) in values.enumerated() { bytes[index / 8] |= value << (index % 8) }
        return bytes
    }
}
