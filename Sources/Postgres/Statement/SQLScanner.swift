/// Finds the parameters and the end of an SQL statement, looking past quotations and comments.
/// Standard-conforming strings are assumed, as PostgreSQL does by default.
struct SQLScanner {
    private(set) var highestParameter = 0
    /// Something other than comments follows the first semicolon.
    private(set) var hasSeveralStatements = false
    /// Nothing but comments and white space.
    private(set) var isEmpty = true
    /// A quotation or comment does not end.
    private(set) var isUnclosed = false
    /// Where the statement ends, without its semicolon.
    private(set) var end: Int
    private let text: [UInt8]
    private var position = 0
    private var hasEnded = false

    init(_ sql: String) {
        text = Array(sql.utf8)
        end = text.count
        while position < text.count, !isUnclosed { step() }
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
        case UInt8(ascii: "'"): skipQuotation(byte, escapes: follows(UInt8(ascii: "e"), UInt8(ascii: "E")))
        case UInt8(ascii: "\""): skipQuotation(byte, escapes: false)
        case UInt8(ascii: "$") where !isWord(position - 1): skipDollar()
        default: position += 1
        }
    }

    /// `''` within `'…'` stands for one quotation mark: read as two quotations in a row it comes to the same.
    private mutating func skipQuotation(_ mark: UInt8, escapes: Bool) {
        position += 1
        while position < text.count, text[position] != mark {
            position += escapes && text[position] == UInt8(ascii: "\\") ? 2 : 1
        }
        isUnclosed = position >= text.count
        position += 1
    }

    /// `$3`, or the beginning of `$tag$ … $tag$`.
    private mutating func skipDollar() {
        var next = position + 1
        while isDigit(next) { next += 1 }
        if next > position + 1 {
            let number = Int(String(decoding: text[(position + 1)..<next], as: UTF8.self)) ?? Int.max
            highestParameter = max(highestParameter, number)
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
        isUnclosed = true
    }

    private mutating func skipLine() {
        while position < text.count, text[position] != UInt8(ascii: "\n") { position += 1 }
    }

    /// PostgreSQL's block comments nest.
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
        isUnclosed = depth > 0
    }

    private func peek(_ distance: Int) -> UInt8? {
        position + distance < text.count ? text[position + distance] : nil
    }

    /// The byte before is one of these and begins a word: the E of `E'…'`.
    private func follows(_ bytes: UInt8...) -> Bool {
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
