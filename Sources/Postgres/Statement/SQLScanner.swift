/// Finds the named parameters (`:enrolment_id`) and the end of an SQL statement. Skips quoted strings and identifiers,
/// comments and casts (`::`). Assumes standard-conforming strings, the default of PostgreSQL.
struct SQLScanner {
    /// Every use of a named parameter, in the order of the text: its name, and the byte range from the colon to the end
    /// of the name.
    private(set) var parameters: [(name: String, bytes: Range<Int>)] = []
    /// The first positional parameter (`$1`), which statement files do not use.
    private(set) var positionalParameter: String?
    /// Whether anything except comments and white space follows the first semicolon.
    private(set) var hasSeveralStatements = false
    /// Whether the statement contains only comments and white space.
    private(set) var isEmpty = true
    /// Whether a quoted string, a quoted identifier or a comment has no end.
    private(set) var isUnterminated = false
    /// The offset of the end of the statement, without its semicolon.
    private(set) var end: Int
    private let text: [UInt8]
    private var position = 0
    private var hasEnded = false

    init(_ sql: String) {
        text = Array(sql.utf8)
        end = text.count
        while position < text.count, !isUnterminated { step() }
    }

    private mutating func step() {
        let byte = text[position]
        switch byte {
        case UInt8(ascii: "-") where peek(1) == UInt8(ascii: "-"): skipLine()
        case UInt8(ascii: "/") where peek(1) == UInt8(ascii: "*"): skipBlockComment()
        case UInt8(ascii: " "), UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: "\t"): position += 1
        case UInt8(ascii: ";"):
            if !hasEnded { end = position }
            hasEnded = true
            position += 1
        default:
            isEmpty = isEmpty && hasEnded
            hasSeveralStatements = hasSeveralStatements || hasEnded
            skipToken(byte)
        }
    }

    private mutating func skipToken(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "'"):
            skipQuoted(byte, escapes: isPrefixed(by: UInt8(ascii: "e"), UInt8(ascii: "E")))
        case UInt8(ascii: "\""): skipQuoted(byte, escapes: false)
        case UInt8(ascii: "$") where !isWord(position - 1): skipDollar()
        case UInt8(ascii: ":") where peek(1) == UInt8(ascii: ":"): position += 2
        case UInt8(ascii: ":") where isWord(position + 1) && !isDigit(position + 1): readParameter()
        default: position += 1
        }
    }

    private mutating func readParameter() {
        var next = position + 1
        while isWord(next) { next += 1 }
        parameters.append((String(decoding: text[(position + 1)..<next], as: UTF8.self), position..<next))
        position = next
    }

    /// `''` in `'…'` means one quotation mark. Reading it as two adjacent strings has the same effect.
    private mutating func skipQuoted(_ mark: UInt8, escapes: Bool) {
        position += 1
        while position < text.count, text[position] != mark {
            position += escapes && text[position] == UInt8(ascii: "\\") ? 2 : 1
        }
        isUnterminated = position >= text.count
        position += 1
    }

    /// Skips `$3` or `$tag$ … $tag$`.
    private mutating func skipDollar() {
        var next = position + 1
        while isDigit(next) { next += 1 }
        if next > position + 1 {
            positionalParameter =
                positionalParameter ?? String(decoding: text[position..<next], as: UTF8.self)
            position = next
            return
        }
        while isWord(next) { next += 1 }
        guard next < text.count, text[next] == UInt8(ascii: "$") else {
            position += 1
            return
        }
        skipPast(Array(text[position...next]), from: next + 1)
    }

    private mutating func skipPast(_ tag: [UInt8], from start: Int) {
        var next = start
        while next + tag.count <= text.count {
            if text[next..<next + tag.count].elementsEqual(tag) {
                position = next + tag.count
                return
            }
            next += 1
        }
        isUnterminated = true
    }

    private mutating func skipLine() {
        while position < text.count, text[position] != UInt8(ascii: "\n") { position += 1 }
    }

    /// Block comments nest in PostgreSQL.
    private mutating func skipBlockComment() {
        var depth = 0
        repeat {
            if text[position] == UInt8(ascii: "/"), peek(1) == UInt8(ascii: "*") {
                depth += 1
                position += 2
            } else if text[position] == UInt8(ascii: "*"), peek(1) == UInt8(ascii: "/") {
                depth -= 1
                position += 2
            } else {
                position += 1
            }
        } while depth > 0 && position < text.count
        isUnterminated = depth > 0
    }

    private func peek(_ distance: Int) -> UInt8? {
        position + distance < text.count ? text[position + distance] : nil
    }

    /// Whether the byte before the position is one of `bytes` and starts a word, such as the E of `E'…'`.
    private func isPrefixed(by bytes: UInt8...) -> Bool {
        position > 0 && bytes.contains(text[position - 1]) && !isWord(position - 2)
    }

    private func isDigit(_ index: Int) -> Bool {
        index < text.count && (0x30...0x39).contains(text[index])
    }

    private func isWord(_ index: Int) -> Bool {
        guard index >= 0, index < text.count else { return false }
        let byte = text[index]
        return (0x61...0x7A).contains(byte | 0x20) || (0x30...0x39).contains(byte) || byte == 0x5F
            || byte >= 0x80
    }
}
