/// The line above a statement in a file:
/// `-- name: find_open_occasions(enrolment_id uuid, now timestamptz) :many`.
struct StatementHeader {
    static let prefix = "-- name:"

    let name: String
    let parameters: [Statement.DeclaredParameter]
    let cardinality: Statement.Cardinality

    /// Whether the line starts as a header. It can still be malformed.
    static func isHeader(_ line: some StringProtocol) -> Bool {
        line.hasPrefix(prefix)
    }

    init(_ line: some StringProtocol) throws(StatementFileFault.Reason) {
        let text = line.dropFirst(Self.prefix.count)
        guard let open = text.firstIndex(of: "("), let close = text.lastIndex(of: ")"), open < close else {
            throw .headerUnreadable
        }
        let ending = Self.trim(text[text.index(after: close)...])
        guard let name = Self.parseIdentifier(text[..<open]), ending.first == ":",
            let cardinality = Statement.Cardinality(rawValue: String(ending.dropFirst()))
        else { throw .headerUnreadable }
        self.name = name
        self.cardinality = cardinality
        parameters = try Self.parseParameters(text[text.index(after: open)..<close])
    }

    private static func parseParameters(
        _ list: some StringProtocol
    ) throws(StatementFileFault.Reason) -> [Statement.DeclaredParameter] {
        if trim(list).isEmpty { return [] }
        var parameters: [Statement.DeclaredParameter] = []
        for part in splitAtTopLevel(list) {
            let words = trim(part)
            guard let space = words.firstIndex(where: \.isWhitespace),
                let name = parseIdentifier(words[..<space])
            else {
                throw .headerUnreadable
            }
            if parameters.contains(where: { $0.name == name }) { throw .parameterRepeated(name) }
            parameters.append(Statement.DeclaredParameter(name: name, type: trim(words[space...])))
        }
        return parameters
    }

    /// Splits at commas outside parentheses: `amount numeric(10, 2)` is one part.
    private static func splitAtTopLevel(_ list: some StringProtocol) -> [String] {
        var parts = [""]
        var depth = 0
        for character in list {
            if character == "(" { depth += 1 }
            if character == ")" { depth -= 1 }
            if character == ",", depth == 0 {
                parts.append("")
            } else {
                parts[parts.count - 1].append(character)
            }
        }
        return parts
    }

    /// Accepts lower-case letters, digits and underscores. The first character must be a letter.
    private static func parseIdentifier(_ text: some StringProtocol) -> String? {
        let name = trim(text)
        guard let first = name.utf8.first, (0x61...0x7A).contains(first) else { return nil }
        let isPlain = name.utf8.allSatisfy {
            (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x5F
        }
        return isPlain ? name : nil
    }

    private static func trim(_ text: some StringProtocol) -> String {
        String(text.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
    }
}

extension StatementFileFault.Reason: Error {}
