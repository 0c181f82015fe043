/// The run-length and bit-packing hybrid of Parquet, for small numbers that often repeat: definition levels and
/// dictionary indices. A run of equal values is stored as its length × 2, followed by the value. Other values are
/// stored in groups of eight, packed from the lowest bit, after the number of groups × 2 + 1.
enum RunLengthHybrid {
    /// A shorter run needs more bytes than packed values.
    private static let minimumRun = 8

    /// The number of bits for numbers from 0 to `greatest`; at least 1, because readers disagree about a width of 0.
    static func width(greatest: UInt32) -> Int {
        max(1, UInt32.bitWidth - greatest.leadingZeroBitCount)
    }

    /// - Parameter values: numbers below 2 to the power of `width`.
    static func append<Number: FixedWidthInteger & UnsignedInteger>(
        _ values: [Number], width: Int, to bytes: inout [UInt8]
    ) {
        var packed = 0
        var index = 0
        while index < values.count {
            var end = index + 1
            while end < values.count, values[end] == values[index] { end += 1 }
            // Only the last group may be incomplete, so a run first fills the current group.
            let filling = (8 - (index - packed) % 8) % 8
            if end - index - filling >= minimumRun {
                pack(values[packed..<index + filling], width: width, to: &bytes)
                appendRun(of: values[index], length: end - index - filling, width: width, to: &bytes)
                packed = end
            }
            index = end
        }
        pack(values[packed...], width: width, to: &bytes)
    }

    private static func appendRun(
        of value: some FixedWidthInteger & UnsignedInteger, length: Int, width: Int, to bytes: inout [UInt8]
    ) {
        bytes.appendVarint(UInt64(length) << 1)
        for index in 0..<(width + 7) / 8 { bytes.append(UInt8(truncatingIfNeeded: value >> (8 * index))) }
    }

    private static func pack(
        _ values: ArraySlice<some FixedWidthInteger & UnsignedInteger>, width: Int, to bytes: inout [UInt8]
    ) {
        guard !values.isEmpty else { return }
        let groups = (values.count + 7) / 8
        bytes.appendVarint(UInt64(groups) << 1 | 1)
        let end = bytes.count + groups * width
        var buffer: UInt64 = 0
        var bits = 0
        for value in values {
            buffer |= UInt64(value) << bits
            bits += width
            while bits >= 8 {
                bytes.append(UInt8(truncatingIfNeeded: buffer))
                buffer >>= 8
                bits -= 8
            }
        }
        if bits > 0 { bytes.append(UInt8(truncatingIfNeeded: buffer)) }
        // The last group is padded with zeros.
        while bytes.count < end { bytes.append(0) }
    }
}
