/// Parquet's hybrid of run lengths and packed bits, for small numbers that often repeat: definition levels
/// and the places in a dictionary. A run of equal values is its length times two and the value; the rest goes
/// in groups of eight, packed from the lowest bit on, behind the number of groups times two plus one.
enum RunLengthHybrid {
    /// A shorter run costs more than packing it.
    private static let leastRun = 8

    /// The bits that numbers from 0 to `greatest` need; at least 1, because readers differ over widths of 0.
    static func width(greatest: UInt32) -> Int {
        max(1, UInt32.bitWidth - greatest.leadingZeroBitCount)
    }

    /// - Parameter values: each below two to the power of `width`.
    static func append<Number: FixedWidthInteger & UnsignedInteger>(
        _ values: [Number], width: Int, to bytes: inout [UInt8]
    ) {
        var packed = 0
        var place = 0
        while place < values.count {
            var end = place + 1
            while end < values.count, values[end] == values[place] { end += 1 }
            // Groups are whole except at the very end, so the run first fills the group under way.
            let filling = (8 - (place - packed) % 8) % 8
            if end - place - filling >= leastRun {
                pack(values[packed..<place + filling], width: width, to: &bytes)
                appendRun(of: values[place], length: end - place - filling, width: width, to: &bytes)
                packed = end
            }
            place = end
        }
        pack(values[packed...], width: width, to: &bytes)
    }

    static func appendRun(
        of value: some FixedWidthInteger & UnsignedInteger, length: Int, width: Int, to bytes: inout [UInt8]
    ) {
        bytes.appendVarint(UInt64(length) << 1)
        for place in 0..<(width + 7) / 8 { bytes.append(UInt8(truncatingIfNeeded: value >> (8 * place))) }
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
        // The last group is filled up with zeros.
        while bytes.count < end { bytes.append(0) }
    }
}
