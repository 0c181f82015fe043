import Foundation

/// Bounds of a body of lines, which is read while it arrives.
package struct LineBounds: Sendable {
    /// Bytes of the whole body, before and after decompression: 256 MiB.
    var body = 256 * 1024 * 1024
    /// Bytes of one line.
    var line = BodyRule.walkLimit
    /// Lines of one body.
    var lines = 100_000
    /// Lines that wait to be taken …
    var waiting = 500
    /// … and their bytes. A longer line waits alone.
    var waitingBytes = 256 * 1024
    /// A body may become so many times its compressed size; the first megabytes may become more.
    var inflation = 200
    /// What a line takes in memory beside its bytes.
    static let lineCost = 96

    package init() {}
}

/// One line of a body.
struct BodyLine: Sendable {
    /// From 1 on; empty lines count.
    let number: Int
    /// Without its end; nil for one that is too long.
    let bytes: [UInt8]?
}

/// Cuts bytes that arrive in pieces into lines. Of a line that is too long nothing is kept. Empty lines are passed over.
struct LineSplitter {
    private let longest: Int
    private var rest: [UInt8] = []
    private var isSkipping = false
    /// Of the line that has not ended yet.
    private(set) var number = 1

    /// - Parameter longest: bytes of a line.
    init(longest: Int) {
        self.longest = longest
    }

    /// Bytes of the line that has not ended yet.
    var restCount: Int { rest.count }

    /// The lines that end in these bytes.
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

    /// Bodies of megabytes are looked through here, so the C library does it.
    private static func lineEnd(in bytes: [UInt8], from start: Int) -> Int? {
        bytes.withUnsafeBytes { all in
            guard start < all.count, let base = all.baseAddress,
                let found = memchr(base + start, 0x0A, all.count - start)
            else { return nil }
            return UnsafeRawPointer(found) - base
        }
    }

    /// The last line, where no line end follows it; nil where there is nothing.
    mutating func end() -> BodyLine? { finish() }

    private mutating func append(_ bytes: ArraySlice<UInt8>) {
        guard !isSkipping, !bytes.isEmpty else { return }
        if rest.count + bytes.count > longest {
            rest = []
            isSkipping = true
        } else {
            rest.append(contentsOf: bytes)
        }
    }

    private mutating func finish() -> BodyLine? {
        // Given away whole: room that was kept for the next line would be made anew for each that is given away, as large as the longest.
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
