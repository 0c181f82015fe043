/// Splits a FIT file into its parts. Each part has a header, messages and a checksum.
enum FITFile {
    /// The maximum size in bytes. A watch records a few MiB per day.
    static let maximumLength = 64 << 20

    /// Whether a file with this beginning is a FIT file.
    static func isLikely(_ start: [UInt8]) -> Bool {
        start.count >= 12 && start[8..<12].elementsEqual(".FIT".utf8)
    }

    /// The messages of every part, in order.
    /// - Throws: `RecordingFault` for truncated files and wrong checksums.
    static func parts(_ bytes: [UInt8]) throws(RecordingFault) -> [ArraySlice<UInt8>] {
        var parts: [ArraySlice<UInt8>] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            guard rest.count >= 12, let size = rest.first.map(Int.init), size == 12 || size == 14,
                rest.count >= size, isLikely(Array(rest.prefix(12)))
            else { throw RecordingFault("byte \(rest.startIndex): no FIT file begins here") }
            let start = rest.startIndex
            let length = (0..<4).reduce(0) { $0 | Int(rest[start + 4 + $1]) << (8 * $1) }
            guard rest.count >= size + length + 2 else { throw RecordingFault("the FIT file is truncated") }
            let end = start + size + length
            // A header of 14 bytes ends with its own checksum; 0 means that there is none.
            if size == 14, rest[start + 12] != 0 || rest[start + 13] != 0 {
                guard checksum(rest[start..<start + 14]) == 0 else {
                    throw RecordingFault("the checksum of the FIT file's header is wrong")
                }
            }
            guard checksum(rest[start..<end + 2]) == 0 else {
                throw RecordingFault("the checksum of the FIT file is wrong")
            }
            parts.append(rest[start + size..<end])
            rest = rest[(end + 2)...]
        }
        return parts
    }

    /// CRC-16 with the reversed polynomial A001 and the initial value 0. The result is 0 for bytes that end with their
    /// checksum.
    static func checksum(_ bytes: some Sequence<UInt8>) -> UInt16 {
        bytes.reduce(0) { sum, byte in
            let index = UInt8(truncatingIfNeeded: sum) ^ byte
            return (sum >> 8) ^ table[Int(index)]
        }
    }

    private static let table: [UInt16] = (0..<256).map { value in
        (0..<8).reduce(UInt16(value)) { sum, _ in sum & 1 == 1 ? (sum >> 1) ^ 0xA001 : sum >> 1 }
    }
}
