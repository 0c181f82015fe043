/// CSV under way, written as PostgreSQL's COPY writes it. Its memory grows, so that nothing need be known of the text before.
struct CSVBuffer: ~Copyable {
    private var memory: UnsafeMutableRawBufferPointer
    private(set) var count = 0

    /// - Parameter capacity: bytes that need no growing; above 0.
    init(capacity: Int) {
        memory = .allocate(byteCount: max(64, capacity), alignment: 1)
    }

    deinit {
        memory.deallocate()
    }

    /// What was written.
    var bytes: [UInt8] { Array(memory[..<count]) }

    mutating func put(_ byte: UInt8) {
        makeRoom(for: 1)
        memory[count] = byte
        count += 1
    }

    /// Bytes as they are.
    mutating func put(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count > 0 else { return }
        makeRoom(for: bytes.count)
        UnsafeMutableRawBufferPointer(rebasing: memory[count...]).copyMemory(from: bytes)
        count += bytes.count
    }

    /// Once more what stands there already.
    /// - Parameter range: within what was written.
    mutating func repeatBytes(_ range: Range<Int>) {
        makeRoom(for: range.count)
        UnsafeMutableRawBufferPointer(rebasing: memory[count...])
            .copyMemory(from: UnsafeRawBufferPointer(rebasing: memory[range]))
        count += range.count
    }

    /// A field's text, in quotes where it needs them.
    mutating func putField(_ text: UnsafeRawBufferPointer) {
        let needsQuotes =
            text.isEmpty
            || text.contains {
                $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\n")
                    || $0 == UInt8(ascii: "\r")
            }
        guard needsQuotes else { return put(text) }
        put(UInt8(ascii: "\""))
        for byte in text {
            if byte == UInt8(ascii: "\"") { put(byte) }
            put(byte)
        }
        put(UInt8(ascii: "\""))
    }

    mutating func put(_ number: Int64) {
        if number < 0 { put(UInt8(ascii: "-")) }
        put(number.magnitude, digits: 1)
    }

    /// - Parameter digits: at least so many, with zeros before.
    mutating func put(_ number: UInt64, digits: Int) {
        var rest = number
        var length = 1
        while rest >= 10 {
            rest /= 10
            length += 1
        }
        length = max(length, digits)
        makeRoom(for: length)
        rest = number
        for place in stride(from: count + length - 1, through: count, by: -1) {
            memory[place] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        }
        count += length
    }

    /// A UUID's sixteen bytes in its usual form.
    mutating func putUUID(_ bytes: UnsafeRawBufferPointer) {
        makeRoom(for: 36)
        for (place, byte) in bytes.enumerated() {
            if place == 4 || place == 6 || place == 8 || place == 10 { put(UInt8(ascii: "-")) }
            put(Self.digit(byte >> 4))
            put(Self.digit(byte & 15))
        }
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") - 10 + value
    }

    private mutating func makeRoom(for more: Int) {
        guard more > memory.count - count else { return }
        let grown = UnsafeMutableRawBufferPointer.allocate(
            byteCount: max(memory.count * 2, count + more), alignment: 1)
        grown.copyMemory(from: UnsafeRawBufferPointer(rebasing: memory[..<count]))
        memory.deallocate()
        memory = grown
    }
}
