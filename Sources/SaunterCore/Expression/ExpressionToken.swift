/// One word or sign of an expression, with the character at which it begins, from 1.
struct ExpressionToken {
    enum Kind: Hashable {
        case number(Double)
        case text(String)
        case date(LocalDate)
        case time(LocalTime)
        case name(String)
        case sign(String)
    }

    let kind: Kind
    let position: Int

    /// All tokens of a source.
    static func read(_ source: String) throws(ExpressionFault) -> [ExpressionToken] {
        let scalars = Array(source.unicodeScalars)
        guard scalars.count <= Expression.maximumLength else {
            throw ExpressionFault(
                position: Expression.maximumLength,
                detail: "an expression has at most \(Expression.maximumLength) characters")
        }
        var reader = Reader(scalars: scalars)
        var tokens: [ExpressionToken] = []
        while let token = try reader.next() { tokens.append(token) }
        return tokens
    }

    private struct Reader {
        let scalars: [Unicode.Scalar]
        var place = 0

        mutating func next() throws(ExpressionFault) -> ExpressionToken? {
            while place < scalars.count, " \t\n\r".unicodeScalars.contains(scalars[place]) { place += 1 }
            guard place < scalars.count else { return nil }
            let start = place
            let kind: Kind
            switch scalars[place] {
            case "0"..."9": kind = try number()
            case "a"..."z":
                kind = .name(word { $0 == "_" || ("a"..."z").contains($0) || ("0"..."9").contains($0) })
            case "'", "\"": kind = try text()
            case "@": kind = try moment()
            default: kind = try sign()
            }
            return ExpressionToken(kind: kind, position: start + 1)
        }

        private mutating func word(_ belongs: (Unicode.Scalar) -> Bool) -> String {
            var word = String.UnicodeScalarView()
            while place < scalars.count, belongs(scalars[place]) {
                word.append(scalars[place])
                place += 1
            }
            return String(word)
        }

        private mutating func number() throws(ExpressionFault) -> Kind {
            let start = place
            let text = word { ("0"..."9").contains($0) || $0 == "." }
            guard text.utf8.count <= 16, text.utf8.last != UInt8(ascii: "."), let value = Double(text) else {
                throw ExpressionFault(
                    position: start + 1, detail: "a number has at most 15 digits and one point")
            }
            return .number(value)
        }

        private mutating func text() throws(ExpressionFault) -> Kind {
            let quote = scalars[place]
            let start = place
            place += 1
            let text = word { $0 != quote }
            guard place < scalars.count else {
                throw ExpressionFault(position: start + 1, detail: "the text that begins here has no end")
            }
            place += 1
            return .text(text)
        }

        /// `@2026-11-21` or `@17:30`.
        private mutating func moment() throws(ExpressionFault) -> Kind {
            let start = place
            place += 1
            let text = word { ("0"..."9").contains($0) || $0 == "-" || $0 == ":" }
            if let date = LocalDate(text) { return .date(date) }
            if let time = LocalTime(text) { return .time(time) }
            throw ExpressionFault(
                position: start + 1, detail: "a date is written @2026-11-21 and a time of day @17:30")
        }

        private mutating func sign() throws(ExpressionFault) -> Kind {
            let first = scalars[place]
            if place + 1 < scalars.count {
                let pair = String(first) + String(scalars[place + 1])
                if ["!=", "<=", ">="].contains(pair) {
                    place += 2
                    return .sign(pair)
                }
            }
            guard "()+-*/=<>,".unicodeScalars.contains(first) else {
                throw ExpressionFault(position: place + 1, detail: "the sign here is not known")
            }
            place += 1
            return .sign(String(first))
        }
    }
}
