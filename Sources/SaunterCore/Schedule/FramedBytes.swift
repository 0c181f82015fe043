/// Fields joined so that no two lists of fields give the same bytes: each is led by its length (four bytes,
/// big-endian).
func framed(_ fields: [[UInt8]]) -> [UInt8] {
    var bytes: [UInt8] = []
    for field in fields {
        bytes += bigEndian(UInt32(truncatingIfNeeded: field.count))
        bytes += field
    }
    return bytes
}

func bigEndian(_ value: some FixedWidthInteger) -> [UInt8] {
    withUnsafeBytes(of: value.bigEndian) { Array($0) }
}
