/// Writes PostgreSQL's binary form of a one-dimensional array (`array_send`): number of dimensions, whether
/// any element is NULL, element type, length, lower bound, then each element behind its length, -1 for NULL.
struct ArrayWriter {
    private var bytes: [UInt8] = []
    private var hasTooLongElement = false

    init(element: OID, count: Int) {
        bytes.reserveCapacity(20 + count * 12)
        BinaryForm.integer(Int32(count == 0 ? 0 : 1), to: &bytes)
        BinaryForm.integer(Int32(0), to: &bytes)
        BinaryForm.integer(element.rawValue, to: &bytes)
        guard count > 0 else { return }
        BinaryForm.integer(Int32(clamping: count), to: &bytes)
        BinaryForm.integer(Int32(1), to: &bytes)
    }

    mutating func appendNull() {
        bytes[7] = 1
        BinaryForm.integer(Int32(-1), to: &bytes)
    }

    /// Appends what `write` appends. False when it refuses the element, after which the array is of no use.
    mutating func append(_ write: (inout [UInt8]) -> Bool) -> Bool {
        let start = bytes.count
        BinaryForm.integer(Int32(0), to: &bytes)
        guard write(&bytes) else { return false }
        guard let length = Int32(exactly: bytes.count - start - 4) else {
            hasTooLongElement = true
            return true
        }
        for place in 0..<4 {
            bytes[start + place] = UInt8(truncatingIfNeeded: length >> (24 - 8 * Int32(place)))
        }
        return true
    }

    mutating func append<Number: FixedWidthInteger>(_ number: Number) {
        BinaryForm.integer(Int32(MemoryLayout<Number>.size), to: &bytes)
        BinaryForm.integer(number, to: &bytes)
    }

    /// The finished array. Whether it is too long for the protocol as a whole is checked where it is sent.
    var payload: Parameter.Payload {
        hasTooLongElement ? .refused("an array element is too long") : .bytes(bytes)
    }
}
