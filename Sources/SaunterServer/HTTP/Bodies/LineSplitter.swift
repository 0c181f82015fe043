import Foundation

/// One line of a body.
struct BodyLine: Sendable {
    /// The number in the body, from 1 on. Empty lines count.
    let number: Int
    /// The bytes without the line feed; nil if the line is too long.
    let bytes: [UInt8]?
}

/// Divides bytes that arrive in pieces into lines. It skips empty lines, and keeps no byte of a line that is too long.
struct LineSplitter {
    private let maximumBytes: Int
    private var rest: [UInt8] = []
    private var isSkipping = false
    /// The number of the line that has not ended yet.
    private(set) var number = 1

    /// - Parameter maximumBytes: the maximum length of a line.
    init(maximumBytes: Int) {
        self.maximumBytes = maximumBytes
    }

    /// Bytes of the line that has not ended yet.
    var restCount: Int { rest.count }

    /// Adds bytes.
    /// - Returns: the lines that end in these bytes.
    mutating func add(_ bytes: [UInt8]) -> [BodyLine] {
        var lines: [BodyLine] = []
        var start = 0
        while let end = Self.lineEnd(in: bytes, from: start) {
            append(bytes[start..<end])
            if let line = finish() { lines.append(line) }
            number += 1
            start = end + 1
        }
        append(bytes[start...])
        return lines
    }

    /// The index of the next line feed. This searches megabytes, so it uses the C library, which is faster than a Swift
    /// loop.
    private static func lineEnd(in bytes: [UInt8], from start: Int) -> Int? {
        bytes.withUnsafeBytes { all in
            guard start < all.count, let base = all.baseAddress,
                let found = memchr(base + start, 0x0A, all.count - start)
            else { return nil }
            return UnsafeRawPointer(found) - base
        }
    }

    /// The last line, if no line feed follows it; nil if there is none.
    mutating func end() -> BodyLine? { finish() }

    private mutating func append(_ bytes: ArraySlice<UInt8>) {
        guard !isSkipping, !bytes.isEmpty else { return }
        if rest.count + bytes.count > maximumBytes {
            rest = []
            isSkipping = true
        } else {
            rest.append(contentsOf: bytes)
        }
    }

    private mutating func finish() -> BodyLine? {
        // The caller gets the array itself. With `removeAll(keepingCapacity:)` each line would allocate as much as the
        // longest line so far.
        let line = rest
        rest = []
        guard !isSkipping else {
            isSkipping = false
            return BodyLine(number: number, bytes: nil)
        }
        let isBlank = line.allSatisfy { $0 == UInt8(ascii: " ") || $0 == 0x09 || $0 == 0x0D }
        return isBlank ? nil : BodyLine(number: number, bytes: line)
    }
}
