/// Writes PostgreSQL's binary form of a one-dimensional array (`array_send`): number of dimensions, whether any
/// element is NULL, element type, length, lower bound, then each element behind its length, -1 for NULL.
struct ArrayWriter {
    private var bytes: [UInt8] = []
    private var hasTooLongElement = false

    init(element: OID, count: Int) {
        bytes.reserveCapacity(20 + count * 12)
        BinaryForm.append(Int32(count == 0 ? 0 : 1), to: &bytes)
        BinaryForm.append(Int32(0), to: &bytes)
        BinaryForm.append(element.rawValue, to: &bytes)
        guard count > 0 else { return }
        BinaryForm.append(Int32(clamping: count), to: &bytes)
        BinaryForm.append(Int32(1), to: &bytes)
    }

    mutating func appendNull() {
        bytes[7] = 1
        BinaryForm.append(Int32(-1), to: &bytes)
    }

    mutating func append(_ element: [UInt8]) {
        guard let length = Int32(exactly: element.count) else {
            hasTooLongElement = true
            return
        }
        BinaryForm.append(length, to: &bytes)
        bytes.append(contentsOf: element)
    }

    /// The finished array. Whether it is too long for the protocol as a whole is checked where it is sent.
    var payload: Parameter.Payload {
        hasTooLongElement ? .refused("an array element is too long") : .bytes(bytes)
    }
}
