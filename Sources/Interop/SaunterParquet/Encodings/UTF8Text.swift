/// Validates UTF-8, with a fast path for ASCII.
enum UTF8Text {
    static func isValid(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var all: UInt8 = 0
        for byte in bytes { all |= byte }
        return all < 0x80 || String(validating: bytes, as: UTF8.self) != nil
    }
}
