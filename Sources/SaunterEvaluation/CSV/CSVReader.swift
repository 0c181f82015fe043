/// One record of a CSV text.
package struct CSVRecord: Sendable, Hashable {
    /// The line on which it begins; the first is 1.
    package let line: Int
    package let fields: [String]
}

/// Why a text is no CSV; nothing after this place can be read.
package struct CSVFault: Error, Sendable, Hashable, CustomStringConvertible {
    package let line: Int
    package let reason: String

    package var description: String { "line \(line): \(reason)" }
}

/// Reads CSV (RFC 4180; LF, CR LF; a byte order mark is passed over) piece by piece, in memory that does not
/// grow with the text.
package struct CSVReader {
    private static let maximumFieldBytes = 1 << 20
    private static let maximumFields = 5000

    private let more: () throws -> [UInt8]
    private var piece: [UInt8] = []
    private var at = 0
    private var isAtEnd = false
    private var line = 1
    private var isAtStart = true

    /// - Parameter more: the next piece of the text; an empty one is the end.
    package init(_ more: @escaping () throws -> [UInt8]) {
        self.more = more
    }

    package init(_ text: String) {
        var rest: [UInt8]? = Array(text.utf8)
        self.init {
            defer { rest = nil }
            return rest ?? []
        }
    }

    /// The next record that is not an empty line; nil at the end.
    /// - Throws: `CSVFault`, or what `more` throws.
    package mutating func next() throws -> CSVRecord? {
        try skipMark()
        while try peek() != nil {
            let start = line
            var fields: [String] = []
            repeat {
                guard fields.count < Self.maximumFields else {
                    throw fault("more than \(Self.maximumFields) fields")
                }
                fields.append(try field())
            } while try take(UInt8(ascii: ","))
            _ = try take(UInt8(ascii: "\r"))
            guard try take(UInt8(ascii: "\n")) || peek() == nil else {
                throw fault("text follows a closing quote")
            }
            line += 1
            if fields != [""] { return CSVRecord(line: start, fields: fields) }
        }
        return nil
    }

    private mutating func skipMark() throws {
        guard isAtStart else { return }
        isAtStart = false
        guard try peek() == 0xEF else { return }
        for byte in [0xEF, 0xBB, 0xBF] as [UInt8] where try !take(byte) { throw fault("not UTF-8") }
    }

    private mutating func field() throws -> String {
        let bytes = try take(UInt8(ascii: "\"")) ? quoted() : plain()
        guard let text = String(validating: bytes, as: UTF8.self) else { throw fault("not UTF-8") }
        return text
    }

    private mutating func plain() throws -> [UInt8] {
        var bytes: [UInt8] = []
        while let byte = try peek(), byte != UInt8(ascii: ","), byte != UInt8(ascii: "\n"),
            byte != UInt8(ascii: "\r")
        {
            if byte == UInt8(ascii: "\"") { throw fault("a quote within a field that is not in quotes") }
            try append(byte, to: &bytes)
        }
        return bytes
    }

    private mutating func quoted() throws -> [UInt8] {
        let start = line
        var bytes: [UInt8] = []
        while let byte = try peek() {
            if byte == UInt8(ascii: "\"") {
                at += 1
                guard try peek() == UInt8(ascii: "\"") else { return bytes }
            }
            if byte == UInt8(ascii: "\n") { line += 1 }
            try append(byte, to: &bytes)
        }
        line = start
        throw fault("a quote that is not closed")
    }

    private mutating func append(_ byte: UInt8, to bytes: inout [UInt8]) throws {
        guard bytes.count < Self.maximumFieldBytes else { throw fault("a field of more than 1 MiB") }
        bytes.append(byte)
        at += 1
    }

    private mutating func take(_ byte: UInt8) throws -> Bool {
        guard try peek() == byte else { return false }
        at += 1
        return true
    }

    private mutating func peek() throws -> UInt8? {
        while at == piece.count {
            if isAtEnd { return nil }
            piece = try more()
            at = 0
            isAtEnd = piece.isEmpty
        }
        return piece[at]
    }

    private func fault(_ reason: String) -> CSVFault { CSVFault(line: line, reason: reason) }
}
