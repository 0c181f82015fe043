/// One value of a result in the binary format of the server; never NULL. Valid only while the result is in memory.
@safe
package struct BinaryValue {
    /// The type that the server reports.
    package let type: OID
    let bytes: UnsafeRawBufferPointer

    init(type: OID, bytes: UnsafeRawBufferPointer) {
        self.type = type
        unsafe self.bytes = unsafe bytes
    }

    var count: Int {
        unsafe bytes.count
    }

    /// The number that starts at `offset`, most significant byte first. Nil if it is not completely inside the value.
    func integer<Number: FixedWidthInteger>(at offset: Int = 0, as type: Number.Type = Number.self) -> Number?
    {
        guard offset >= 0, count - offset >= MemoryLayout<Number>.size else { return nil }
        return unsafe Number(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: Number.self))
    }

    /// The number, if it fills the value exactly.
    func exactInteger<Number: FixedWidthInteger>(_ type: Number.Type = Number.self) -> Number? {
        count == MemoryLayout<Number>.size ? integer() : nil
    }

    /// A part of the value, with its own type. Nil if it is not completely inside the value.
    func slice(at offset: Int, count length: Int, type: OID) -> BinaryValue? {
        guard offset >= 0, length >= 0, count - offset >= length else { return nil }
        return unsafe BinaryValue(
            type: type, bytes: UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + length]))
    }

    /// The bytes from `offset` to the end as UTF-8 text. Nil if they are not valid UTF-8.
    func text(from offset: Int = 0) -> String? {
        guard offset <= count else { return nil }
        return unsafe UnsafeRawBufferPointer(rebasing: bytes[offset...]).withMemoryRebound(to: UInt8.self) {
            unsafe String(validating: $0, as: UTF8.self)
        }
    }

    /// A copy of the bytes.
    var copy: [UInt8] {
        unsafe Array(bytes)
    }
}
