import SaunterCore
import SaunterEvaluation
import SaunterServer

/// Parses `$filter`: comparisons of a property with a literal, combined with `and`, `or`, `not` and parentheses (OData
/// 4.01, URL conventions 5.1.1). The result is a typed condition, so no text of the client becomes part of an SQL
/// statement.
struct ODataFilter {
    private static let maximumBytes = 4000
    private static let maximumComparisons = 60
    private static let maximumDepth = 24

    private enum Token: Equatable {
        case open, close
        /// An operator, a property, or a literal without quotes.
        case word(String)
        case text(String)
    }

    private let table: Table
    private var tokens: [Token]
    private var position = 0
    private var comparisons = 0

    /// Parses the text. Throws `request-invalid`.
    /// - Parameter table: the table whose columns the text may name.
    static func parse(_ text: String, of table: Table) throws(Problem) -> TableQuery.Condition {
        guard text.utf8.count <= maximumBytes else { throw fault("it is longer than \(maximumBytes) bytes") }
        var filter = ODataFilter(table: table, tokens: try tokens(text))
        let condition = try filter.disjunction(depth: 0)
        guard filter.position == filter.tokens.count else {
            throw fault("\"and\", \"or\" or the end is expected")
        }
        return condition
    }

    private static func fault(_ reason: String) -> Problem {
        Problem.invalidParameter("$filter", "The filter cannot be read: \(reason).")
    }

    private static func tokens(_ text: String) throws(Problem) -> [Token] {
        var tokens: [Token] = []
        var rest = Array(text.unicodeScalars)[...]
        while let scalar = rest.first {
            switch scalar {
            case " ", "\t": rest.removeFirst()
            case "(", ")":
                tokens.append(scalar == "(" ? .open : .close)
                rest.removeFirst()
            case "'":
                rest.removeFirst()
                var words = String.UnicodeScalarView()
                while true {
                    guard let next = rest.popFirst() else { throw fault("a quote is not closed") }
                    if next == "'" {
                        guard rest.first == "'" else { break }
                        rest.removeFirst()
                    }
                    words.append(next)
                }
                tokens.append(.text(String(words)))
            default:
                var word = String.UnicodeScalarView()
                while let next = rest.first, !" \t()'".unicodeScalars.contains(next) {
                    word.append(next)
                    rest.removeFirst()
                }
                tokens.append(.word(String(word)))
            }
        }
        return tokens
    }

    private mutating func disjunction(depth: Int) throws(Problem) -> TableQuery.Condition {
        guard depth <= Self.maximumDepth else {
            throw Self.fault("it is nested more than \(Self.maximumDepth) levels deep")
        }
        var parts = [try conjunction(depth: depth)]
        while skip("or") { parts.append(try conjunction(depth: depth)) }
        return parts.count == 1 ? parts[0] : .any(parts)
    }

    private mutating func conjunction(depth: Int) throws(Problem) -> TableQuery.Condition {
        var parts = [try term(depth: depth)]
        while skip("and") { parts.append(try term(depth: depth)) }
        return parts.count == 1 ? parts[0] : .all(parts)
    }

    private mutating func term(depth: Int) throws(Problem) -> TableQuery.Condition {
        guard depth <= Self.maximumDepth else {
            throw Self.fault("it is nested more than \(Self.maximumDepth) levels deep")
        }
        if skip("not") { return .not(try term(depth: depth + 1)) }
        if next == .open {
            position += 1
            let inner = try disjunction(depth: depth + 1)
            guard next == .close else { throw Self.fault("a parenthesis is not closed") }
            position += 1
            return inner
        }
        return try comparison()
    }

    private mutating func comparison() throws(Problem) -> TableQuery.Condition {
        comparisons += 1
        guard comparisons <= Self.maximumComparisons else {
            throw Self.fault("it has more than \(Self.maximumComparisons) comparisons")
        }
        guard case .word(let name)? = next, let column = table.columns.first(where: { $0.name == name })
        else {
            throw Self.fault("a property of \(table.name) is expected")
        }
        position += 1
        let operators: KeyValuePairs<String, TableQuery.Comparison> = [
            "eq": .equal, "ne": .notEqual, "gt": .greater, "ge": .atLeast, "lt": .less, "le": .atMost,
        ]
        guard case .word(let word)? = next, let found = operators.first(where: { $0.key == word })?.value
        else {
            throw Self.fault("one of eq, ne, gt, ge, lt, le is expected")
        }
        position += 1
        guard let literal = next, literal != .open, literal != .close else {
            throw Self.fault("a literal is expected")
        }
        position += 1
        if literal == .word("null") {
            switch found {
            case .equal: return .isBlank(name)
            case .notEqual: return .not(.isBlank(name))
            default: throw Self.fault("null can only be compared with eq and ne")
            }
        }
        guard let value = Self.value(literal, column.type) else {
            throw Self.fault("the literal does not fit \(name), which has the type \(column.type.edm)")
        }
        // The empty text represents null in a key; see `ODataRows`.
        if value.isEmpty {
            switch found {
            case .equal: return .isBlank(name)
            case .notEqual: return .not(.isBlank(name))
            default: break
            }
        }
        return .compare(name, found, value)
    }

    /// The literal in the form in which the table stores values of this type; nil if it does not have the type.
    private static func value(_ literal: Token, _ type: ColumnType) -> String? {
        switch (literal, type) {
        case (.text(let text), .string), (.text(let text), .local): return text
        case (.word(let word), .boolean): return ["true": "1", "false": "0"][word]
        case (.word(let word), .integer), (.word(let word), .number):
            guard word.utf8.count <= 40, let number = Double(word), number.isFinite else { return nil }
            return word
        case (.word(let word), .date): return LocalDate(word) == nil ? nil : word
        case (.word(let word), .instant): return Instant(word)?.description
        case (.word(let word), .time): return LocalTime(word) == nil ? nil : word
        default: return nil
        }
    }

    private var next: Token? { position < tokens.count ? tokens[position] : nil }

    /// Skips the word if it is the next token.
    private mutating func skip(_ word: String) -> Bool {
        guard next == .word(word) else { return false }
        position += 1
        return true
    }
}

extension ColumnType {
    /// The name of the type in OData's Entity Data Model.
    var edm: String {
        switch self {
        case .string, .local: "Edm.String"
        case .integer: "Edm.Int64"
        case .number: "Edm.Double"
        case .boolean: "Edm.Boolean"
        case .date: "Edm.Date"
        case .instant: "Edm.DateTimeOffset"
        case .time: "Edm.TimeOfDay"
        }
    }
}
