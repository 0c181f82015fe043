/// A condition of REDCap or XLSForm, read but not yet understood.
indirect enum Logic: Hashable {
    /// A field by its name there; of a checkbox of REDCap with the code of one box.
    case field(String, box: String?)
    /// The item itself, as constraints of XLSForm have it.
    case own
    case text(String)
    case number(String)
    case call(String, [Logic])
    case binary(String, Logic, Logic)
    case negative(Logic)

    /// The parts that a word joins, `and` or `or`.
    func parts(joinedBy word: String) -> [Logic] {
        guard case .binary(word, let left, let right) = self else { return [self] }
        return left.parts(joinedBy: word) + right.parts(joinedBy: word)
    }
}

/// Why a condition could not be translated.
struct LogicFault: Error {
    let detail: String
}

/// Reads the common part of REDCap's branching logic and XLSForm's expressions. Bounded: what is longer or nests deeper is
/// refused.
struct LogicParser {
    private enum Token: Hashable {
        case field(String, box: String?)
        case text(String)
        case number(String)
        case name(String)
        case sign(String)
    }

    private static let maximumLength = 4000
    private static let maximumDepth = 40

    private var tokens: [Token] = []
    private var place = 0
    private var depth = 0

    static func read(_ source: String) throws(LogicFault) -> Logic {
        guard source.utf8.count <= maximumLength else {
            throw LogicFault(detail: "it is longer than \(maximumLength) bytes")
        }
        var parser = LogicParser()
        parser.tokens = try LogicParser.tokens(source)
        let logic = try parser.disjunction()
        guard parser.place == parser.tokens.count else { throw LogicFault(detail: "it cannot be read") }
        return logic
    }

    // MARK: Tokens

    private static func tokens(_ source: String) throws(LogicFault) -> [Token] {
        let scalars = Array(source.unicodeScalars)
        var tokens: [Token] = []
        var at = 0
        func isName(_ scalar: Unicode.Scalar) -> Bool {
            ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar) || ("0"..."9").contains(scalar)
                || scalar == "_"
        }
        func isDigit(_ scalar: Unicode.Scalar) -> Bool { ("0"..."9").contains(scalar) }
        func text(until ends: Unicode.Scalar) -> String? {
            guard let end = scalars[at...].firstIndex(of: ends) else { return nil }
            var text = String.UnicodeScalarView()
            text.append(contentsOf: scalars[at..<end])
            at = end + 1
            return String(text)
        }
        while at < scalars.count {
            let scalar = scalars[at]
            let next = at + 1 < scalars.count ? scalars[at + 1] : " "
            switch scalar {
            case " ", "\t", "\n", "\r", "\u{A0}": at += 1
            case "[":
                at += 1
                guard let inner = text(until: "]") else { throw LogicFault(detail: "a ] is missing") }
                if case .field? = tokens.last {
                    throw LogicFault(detail: "it asks for another event or instance")
                }
                tokens.append(field(inner))
            case "$" where next == "{":
                at += 2
                guard let inner = text(until: "}") else { throw LogicFault(detail: "a } is missing") }
                tokens.append(.field(inner.filter { $0 != " " }, box: nil))
            case "'", "\"", "\u{2018}", "\u{2019}", "\u{201C}", "\u{201D}":
                at += 1
                let quotes: [Unicode.Scalar] =
                    scalar == "'" || scalar == "\"" ? [scalar] : ["\u{2019}", "\u{201D}"]
                guard let end = scalars[at...].firstIndex(where: quotes.contains) else {
                    throw LogicFault(detail: "a quote is missing")
                }
                var words = String.UnicodeScalarView()
                words.append(contentsOf: scalars[at..<end])
                tokens.append(.text(String(words)))
                at = end + 1
            case _ where isDigit(scalar) || scalar == "." && isDigit(next):
                let start = at
                while at < scalars.count, isDigit(scalars[at]) || scalars[at] == "." { at += 1 }
                var digits = String.UnicodeScalarView()
                digits.append(contentsOf: scalars[start..<at])
                tokens.append(.number(String(digits)))
            case _ where isName(scalar):
                let start = at
                // A hyphen belongs to a name where a letter follows: count-selected.
                while at < scalars.count,
                    isName(scalars[at])
                        || scalars[at] == "-" && at + 1 < scalars.count
                            && ("a"..."z").contains(scalars[at + 1])
                { at += 1 }
                var word = String.UnicodeScalarView()
                word.append(contentsOf: scalars[start..<at])
                tokens.append(.name(String(word)))
            default:
                let pair = String(scalar) + String(next)
                if ["!=", "<>", "<=", ">=", "=="].contains(pair) {
                    tokens.append(.sign(pair == "<>" ? "!=" : pair == "==" ? "=" : pair))
                    at += 2
                } else if "()+-*/=<>,.".unicodeScalars.contains(scalar) {
                    tokens.append(.sign(String(scalar)))
                    at += 1
                } else {
                    throw LogicFault(detail: "it holds the sign \(scalar)")
                }
            }
        }
        return tokens
    }

    /// `name`, or `name(code)`.
    private static func field(_ inner: String) -> Token {
        guard inner.hasSuffix(")"), let open = inner.firstIndex(of: "(") else {
            return .field(inner, box: nil)
        }
        return .field(String(inner[..<open]), box: String(inner[inner.index(after: open)...].dropLast()))
    }

    // MARK: Descent

    private mutating func disjunction() throws(LogicFault) -> Logic {
        depth += 1
        defer { depth -= 1 }
        guard depth <= Self.maximumDepth else { throw LogicFault(detail: "it nests too deeply") }
        var left = try conjunction()
        while skip(word: "or") { left = .binary("or", left, try conjunction()) }
        return left
    }

    private mutating func conjunction() throws(LogicFault) -> Logic {
        var left = try comparison()
        while skip(word: "and") { left = .binary("and", left, try comparison()) }
        return left
    }

    private mutating func comparison() throws(LogicFault) -> Logic {
        var left = try sum()
        while place < tokens.count, case .sign(let sign) = tokens[place],
            ["=", "!=", "<", "<=", ">", ">="].contains(sign)
        {
            place += 1
            left = .binary(sign, left, try sum())
        }
        return left
    }

    private mutating func sum() throws(LogicFault) -> Logic {
        var left = try product()
        while place < tokens.count, case .sign(let sign) = tokens[place], sign == "+" || sign == "-" {
            place += 1
            left = .binary(sign, left, try product())
        }
        return left
    }

    private mutating func product() throws(LogicFault) -> Logic {
        var left = try primary()
        while true {
            if skip("*") {
                left = .binary("*", left, try primary())
            } else if skip("/") || skip(word: "div") {
                left = .binary("/", left, try primary())
            } else {
                return left
            }
        }
    }

    private mutating func primary() throws(LogicFault) -> Logic {
        guard place < tokens.count else { throw LogicFault(detail: "it ends too early") }
        let token = tokens[place]
        place += 1
        switch token {
        case .field(let name, let box): return .field(name, box: box)
        case .text(let text): return .text(text)
        case .number(let digits): return .number(digits)
        case .sign("."): return .own
        case .sign("-"):
            depth += 1
            defer { depth -= 1 }
            guard depth <= Self.maximumDepth else { throw LogicFault(detail: "it nests too deeply") }
            return .negative(try primary())
        case .sign("("):
            let inner = try disjunction()
            guard skip(")") else { throw LogicFault(detail: "a ) is missing") }
            return inner
        case .sign(let sign): throw LogicFault(detail: "a value is missing before \(sign)")
        case .name(let name):
            guard skip("(") else {
                if ["true", "false"].contains(name.lowercased()) { return .call(name.lowercased(), []) }
                throw LogicFault(detail: "it names \(name.prefix(40)), which is no field")
            }
            var arguments: [Logic] = []
            if !skip(")") {
                arguments.append(try disjunction())
                while skip(",") { arguments.append(try disjunction()) }
                guard skip(")") else { throw LogicFault(detail: "a ) is missing") }
            }
            return .call(name.lowercased(), arguments)
        }
    }

    private mutating func skip(_ sign: String) -> Bool {
        guard place < tokens.count, tokens[place] == .sign(sign) else { return false }
        place += 1
        return true
    }

    private mutating func skip(word: String) -> Bool {
        guard place < tokens.count, case .name(let name) = tokens[place], name.lowercased() == word else {
            return false
        }
        place += 1
        return true
    }
}
