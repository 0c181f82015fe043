/// One value of a result, not NULL, as the server sent it in binary. Valid only while the result is held.
@safe
package struct BinaryValue {
    /// What the server says that it is.
    package let type: OID
    let bytes: UnsafeRawBufferPointer

    init(type: OID, bytes: UnsafeRawBufferPointer) {
        self.type = type
        unsafe self.bytes = unsafe bytes
    }

    var count: Int {
        unsafe bytes.count
    }

    /// The number that starts at `offset`, most significant byte first; nil when it does not lie within the
    /// value.
    func integer<Number: FixedWidthInteger>(at offset: Int = 0, as type: Number.Type = Number.self) -> Number?
    {
        guard offset >= 0, count - offset >= MemoryLayout<Number>.size else { return nil }
        return unsafe Number(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: Number.self))
    }

    /// The number, when it fills the value exactly.
    func whole<Number: FixedWidthInteger>(_ type: Number.Type = Number.self) -> Number? {
        count == MemoryLayout<Number>.size ? integer() : nil
    }

    /// A part of the value with a type of its own; nil when it does not lie within the value.
    func slice(at offset: Int, count length: Int, type: OID) -> BinaryValue? {
        guard offset >= 0, length >= 0, count - offset >= length else { return nil }
        return unsafe BinaryValue(
            type: type, bytes: UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + length]))
    }

    /// The bytes as UTF-8 text from `offset` on.
    func text(from offset: Int = 0) -> String? {
        guard offset <= count else { return nil }
        return unsafe String(validating: bytes[offset...], as: UTF8.self)
    }

    /// A copy of the bytes.
    var copy: [UInt8] {
        unsafe Array(bytes)
    }
}
