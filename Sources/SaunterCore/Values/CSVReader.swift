/// One record of a CSV text.
package struct CSVRecord: Sendable, Hashable {
    /// The line on which the record begins, from 1.
    package let line: Int
    /// The fields of the record, without quotes.
    package let fields: [String]
}

/// Why a text is not valid CSV. Reading stops at this line.
package struct CSVFault: Error, Sendable, Hashable, CustomStringConvertible {
    /// The line of the fault, from 1.
    package let line: Int
    /// What is wrong, as a clause without a full stop.
    package let reason: String

    /// - Parameter line: the first line is 1.
    package init(line: Int, reason: String) {
        self.line = line
        self.reason = reason
    }

    /// The line and the reason.
    package var description: String { "line \(line): \(reason)" }
}

/// How the fields of a CSV text are separated and quoted.
package struct CSVDialect: Sendable {
    /// RFC 4180: fields are separated by commas, and a quotation mark occurs only in a quoted field.
    package static let standard = CSVDialect()

    let delimiter: UInt8
    /// Whether to accept what RFC 4180 forbids: a quotation mark inside an unquoted field, text after a closing
    /// quotation mark, and CR as the end of a line.
    let isLenient: Bool

    /// - Parameters:
    ///   - delimiter: the byte between two fields.
    ///   - isLenient: whether a quotation mark inside an unquoted field and text after a closing quotation mark are
    ///     part of the field, and CR alone ends a line.
    package init(delimiter: UInt8 = UInt8(ascii: ","), isLenient: Bool = false) {
        self.delimiter = delimiter
        self.isLenient = isLenient
    }
}

/// Reads CSV (RFC 4180; LF or CR LF; a byte order mark is skipped) in pieces. Memory use does not grow with the text.
package struct CSVReader {
    private static let maximumFieldBytes = 1 << 20
    private static let maximumFields = 5000

    private let dialect: CSVDialect
    private let more: () throws -> [UInt8]
    private var piece: [UInt8] = []
    private var offset = 0
    private var isAtEnd = false
    private var line = 1
    private var isAtStart = true

    /// - Parameter more: returns the next piece of the text, and an empty array at the end.
    package init(_ dialect: CSVDialect = .standard, _ more: @escaping () throws -> [UInt8]) {
        self.dialect = dialect
        self.more = more
    }

    /// Creates a reader of this text.
    package init(_ text: String, _ dialect: CSVDialect = .standard) {
        var rest: [UInt8]? = Array(text.utf8)
        self.init(dialect) {
            defer { rest = nil }
            return rest ?? []
        }
    }

    /// The next record that is not an empty line. Nil at the end.
    /// - Throws: `CSVFault`, or an error of `more`.
    package mutating func next() throws -> CSVRecord? {
        try skipByteOrderMark()
        while try peek() != nil {
            let start = line
            var fields: [String] = []
            repeat {
                guard fields.count < Self.maximumFields else {
                    throw fault("more than \(Self.maximumFields) fields")
                }
                fields.append(try field())
            } while try take(dialect.delimiter)
            let hasCarriageReturn = try take(UInt8(ascii: "\r"))
            guard try take(UInt8(ascii: "\n")) || hasCarriageReturn && dialect.isLenient || peek() == nil
            else {
                throw fault(
                    hasCarriageReturn ? "CR without LF" : "text follows a closing quotation mark")
            }
            line += 1
            if fields != [""] { return CSVRecord(line: start, fields: fields) }
        }
        return nil
    }

    private mutating func skipByteOrderMark() throws {
        guard isAtStart else { return }
        isAtStart = false
        guard try peek() == 0xEF else { return }
        for byte in [0xEF, 0xBB, 0xBF] as [UInt8] where try !take(byte) { throw fault("not UTF-8") }
    }

    private mutating func field() throws -> String {
        let isQuoted = try take(UInt8(ascii: "\""))
        var bytes = isQuoted ? try quoted() : []
        if !isQuoted || dialect.isLenient { try appendPlain(to: &bytes) }
        guard let text = String(validating: bytes, as: UTF8.self) else { throw fault("not UTF-8") }
        return text
    }

    private mutating func appendPlain(to bytes: inout [UInt8]) throws {
        while let byte = try peek(), byte != dialect.delimiter, byte != UInt8(ascii: "\n"),
            byte != UInt8(ascii: "\r")
        {
            if byte == UInt8(ascii: "\""), !dialect.isLenient {
                throw fault("a quotation mark inside a field that is not quoted")
            }
            try append(byte, to: &bytes)
        }
    }

    private mutating func quoted() throws -> [UInt8] {
        let start = line
        var bytes: [UInt8] = []
        while let byte = try peek() {
            if byte == UInt8(ascii: "\"") {
                offset += 1
                guard try peek() == UInt8(ascii: "\"") else { return bytes }
            }
            if byte == UInt8(ascii: "\n") { line += 1 }
            try append(byte, to: &bytes)
        }
        line = start
        throw fault("a quoted field is not closed")
    }

    private mutating func append(_ byte: UInt8, to bytes: inout [UInt8]) throws {
        guard bytes.count < Self.maximumFieldBytes else { throw fault("a field of more than 1 MiB") }
        bytes.append(byte)
        offset += 1
    }

    private mutating func take(_ byte: UInt8) throws -> Bool {
        guard try peek() == byte else { return false }
        offset += 1
        return true
    }

    private mutating func peek() throws -> UInt8? {
        while offset == piece.count {
            if isAtEnd { return nil }
            piece = try more()
            offset = 0
            isAtEnd = piece.isEmpty
        }
        return piece[offset]
    }

    private func fault(_ reason: String) -> CSVFault { CSVFault(line: line, reason: reason) }
}
