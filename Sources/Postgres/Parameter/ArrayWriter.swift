/// Writes a one-dimensional array in PostgreSQL's binary format (`array_send`): number of dimensions, whether any
/// element is NULL, element type, length, lower bound, then the elements. Each element follows its length. The length
/// of NULL is -1.
struct ArrayWriter {
    private var bytes: [UInt8] = []
    private var hasTooLongElement = false

    init(element: OID, count: Int) {
        bytes.reserveCapacity(20 + count * 12)
        BinaryEncoding.appendInteger(Int32(count == 0 ? 0 : 1), to: &bytes)
        BinaryEncoding.appendInteger(Int32(0), to: &bytes)
        BinaryEncoding.appendInteger(element.rawValue, to: &bytes)
        guard count > 0 else { return }
        BinaryEncoding.appendInteger(Int32(clamping: count), to: &bytes)
        BinaryEncoding.appendInteger(Int32(1), to: &bytes)
    }

    mutating func appendNull() {
        // The last byte of the field that states whether any element is NULL.
        bytes[7] = 1
        BinaryEncoding.appendInteger(Int32(-1), to: &bytes)
    }

    /// Appends the element that `write` appends. Returns false if `write` rejects the element. The array is then
    /// invalid.
    mutating func append(_ write: (inout [UInt8]) -> Bool) -> Bool {
        let start = bytes.count
        BinaryEncoding.appendInteger(Int32(0), to: &bytes)
        guard write(&bytes) else { return false }
        guard let length = Int32(exactly: bytes.count - start - 4) else {
            hasTooLongElement = true
            return true
        }
        for index in 0..<4 {
            bytes[start + index] = UInt8(truncatingIfNeeded: length >> (24 - 8 * Int32(index)))
        }
        return true
    }

    mutating func append<Number: FixedWidthInteger>(_ number: Number) {
        BinaryEncoding.appendInteger(Int32(MemoryLayout<Number>.size), to: &bytes)
        BinaryEncoding.appendInteger(number, to: &bytes)
    }

    /// The complete array. `ParameterBlock` checks later whether the whole array is too long for the protocol.
    var payload: Parameter.Payload {
        hasTooLongElement ? .invalid("an array element is too long") : .bytes(bytes)
    }
}
