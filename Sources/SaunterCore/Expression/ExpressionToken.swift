/// A token of an expression, with the position of its first character, from 1.
struct ExpressionToken {
    enum Kind: Hashable {
        case number(Double)
        case text(String)
        case date(LocalDate)
        case time(LocalTime)
        case name(String)
        case symbol(String)
    }

    let kind: Kind
    let position: Int

    /// Splits a source into tokens.
    static func read(
        _ source: String, dialect: Expression.Dialect
    ) throws(ExpressionFault) -> [ExpressionToken] {
        let scalars = Array(source.unicodeScalars)
        guard scalars.count <= Expression.maximumLength else {
            throw ExpressionFault(
                position: Expression.maximumLength,
                detail: "an expression has at most \(Expression.maximumLength) characters")
        }
        var reader = Reader(scalars: scalars, hasMembers: dialect == .variables)
        var tokens: [ExpressionToken] = []
        while let token = try reader.next() { tokens.append(token) }
        return tokens
    }

    private struct Reader {
        let scalars: [Unicode.Scalar]
        /// Whether a name can have a member, such as `area.stress`.
        let hasMembers: Bool
        var index = 0

        mutating func next() throws(ExpressionFault) -> ExpressionToken? {
            while index < scalars.count, " \t\n\r".unicodeScalars.contains(scalars[index]) { index += 1 }
            guard index < scalars.count else { return nil }
            let start = index
            let kind: Kind
            switch scalars[index] {
            case "0"..."9": kind = try number()
            case "a"..."z": kind = .name(name())
            case "'", "\"": kind = try text()
            case "@": kind = try dateOrTime()
            default: kind = try symbol()
            }
            return ExpressionToken(kind: kind, position: start + 1)
        }

        private mutating func word(_ belongs: (Unicode.Scalar) -> Bool) -> String {
            var word = String.UnicodeScalarView()
            while index < scalars.count, belongs(scalars[index]) {
                word.append(scalars[index])
                index += 1
            }
            return String(word)
        }

        /// Reads a name, and its member if the dialect has members.
        private mutating func name() -> String {
            let isPart: (Unicode.Scalar) -> Bool = {
                $0 == "_" || ("a"..."z").contains($0) || ("0"..."9").contains($0)
            }
            let name = word(isPart)
            guard hasMembers, index + 1 < scalars.count, scalars[index] == ".", isPart(scalars[index + 1])
            else {
                return name
            }
            index += 1
            return "\(name).\(word(isPart))"
        }

        private mutating func number() throws(ExpressionFault) -> Kind {
            let start = index
            let text = word { ("0"..."9").contains($0) || $0 == "." }
            let digits = text.utf8.count { $0 != UInt8(ascii: ".") }
            guard digits <= 15, text.utf8.last != UInt8(ascii: "."), let value = Double(text) else {
                throw ExpressionFault(
                    position: start + 1, detail: "a number has at most 15 digits and one point")
            }
            return .number(value)
        }

        private mutating func text() throws(ExpressionFault) -> Kind {
            let quote = scalars[index]
            let start = index
            index += 1
            let text = word { $0 != quote }
            guard index < scalars.count else {
                throw ExpressionFault(
                    position: start + 1, detail: "the text that begins here has no closing quote")
            }
            index += 1
            return .text(text)
        }

        /// Reads `@2026-11-21` or `@17:30`.
        private mutating func dateOrTime() throws(ExpressionFault) -> Kind {
            let start = index
            index += 1
            let text = word { ("0"..."9").contains($0) || $0 == "-" || $0 == ":" }
            if let date = LocalDate(text) { return .date(date) }
            if let time = LocalTime(text) { return .time(time) }
            throw ExpressionFault(
                position: start + 1, detail: "write a date as @2026-11-21 and a time of day as @17:30")
        }

        private mutating func symbol() throws(ExpressionFault) -> Kind {
            let first = scalars[index]
            if index + 1 < scalars.count {
                let pair = String(first) + String(scalars[index + 1])
                if ["!=", "<=", ">="].contains(pair) {
                    index += 2
                    return .symbol(pair)
                }
            }
            guard "()+-*/=<>,".unicodeScalars.contains(first) else {
                throw ExpressionFault(position: index + 1, detail: "this character is not permitted here")
            }
            index += 1
            return .symbol(String(first))
        }
    }
}
