import Testing

@testable import SaunterCore

@Suite struct ExpressionTests {
    private static let known: [String: ExpressionValue] = [
        "two": .exact(Quantity(2)), "tenth": .exact(Quantity(0.1)), "yes": .boolean(true),
        "no": .boolean(false),
        "code": .text("b"), "many": .several([.text("a"), .text("c")]),
        "list": .several([.exact(Quantity(3)), .exact(Quantity(1)), .exact(Quantity(2))]),
    ]

    private func value(_ source: String, today: LocalDate? = nil) throws -> ExpressionValue {
        try Expression(source).value(
            in: ExpressionScope(value: { Self.known[$0] ?? .blank }, today: today))
    }

    @Test(arguments: [
        "1 + 2 * 3 = 7", "(1 + 2) * 3 = 9", "8 / 4 / 2 = 1", "5 - 3 - 1 = 1", "-two + 3 = 1", "- 2 * 3 = -6",
        "tenth + 0.2 = 0.3", "tenth * 3 != 0.31", "1 / 3 * 3 = 1", "two > 1 and two <= 2", "yes or blank > 1",
        "not (no and blank > 1)", "not no", "not not yes", "no or yes and yes", "code = 'b'", "code != \"a\"",
        "code in ('a', 'b')", "'c' in many", "not ('b' in many)", "count(many) = 2",
        "count(two, blank, list) = 4",
        "sum(list) = 6", "sum(two, blank) = 2", "min(list) = 1", "max(list, 9) = 9", "mean(list) = 2",
        "abs(-3) = 3",
        "length('Käse') = 4", "exists(two)", "not exists(blank)", "if(yes, 1, 2) = 1",
        "if(no, 'x', code) = 'b'",
        "@2026-03-01 - @2026-02-01 = 28", "@2026-02-27 + 2 = @2026-03-01", "@17:30 < @18:00",
        "@2026-11-21 = today()", "today() - 1 < @2026-11-21", "count(list)=3and yes",
    ])
    func `the expression is true`(source: String) throws {
        #expect(try value(source, today: LocalDate("2026-11-21")) == .boolean(true))
    }

    @Test(arguments: [
        "blank > 1", "blank = blank", "two > 1 and blank > 1", "no or blank > 1", "1 / 0 = 1",
        "not (blank = 1)",
        "sum(blank) = 0", "max(blank) > 0", "if(blank > 1, yes, yes)", "today() > @2020-01-01",
        "blank in (1, 2)", "@2026-01-01 + 4294967296 * 2147483648 * -1 < today()",
        "@2026-01-01 - 4294967296 * 2147483648 * -1 < today()", "@2026-01-01 + 4000001 > today()",
    ])
    func `an expression over a blank is blank`(source: String) throws {
        #expect(try value(source) == .blank)
    }

    @Test(arguments: [
        ("", 1), ("1 +", 4), ("(1", 3), ("1)", 2), ("1 2", 3), ("a = ", 5), ("1 = 1 = 1", 7),
        ("nothing(1)", 1), ("1 + 1234567890123456", 5),
        ("'open", 1), ("@2026-02-30", 1), ("1.2.3", 1), ("A", 1), ("a ~ 1", 3), ("and yes", 1),
        ("count(1", 8),
        ("a in 1, 2", 7), (String(repeating: "(", count: 40) + "1", 34), ("exists()(", 9),
    ])
    func `a syntax error is rejected with its position`(source: String, position: Int) {
        #expect { try Expression(source) } throws: { ($0 as? ExpressionFault)?.position == position }
    }

    @Test func `no expression is too long or too large`() {
        let long = String(repeating: "1 + ", count: 450) + "1"
        #expect(throws: ExpressionFault.self) { try Expression(long) }
        #expect(throws: ExpressionFault.self) { try Expression(String(repeating: " ", count: 2001) + "1") }
        #expect(throws: Never.self) { try Expression(String(repeating: "1+", count: 90) + "1") }
    }

    /// An independent evaluator for optional booleans and small whole numbers.
    private indirect enum Tree {
        case number(Int)
        case item(String)
        case arithmetic(String, Tree, Tree)

        var text: String {
            switch self {
            case .number(let value): String(value)
            case .item(let name): name
            case .arithmetic(let sign, let left, let right): "(\(left.text) \(sign) \(right.text))"
            }
        }

        func value(_ items: [String: Int]) -> Int? {
            switch self {
            case .number(let value): return value
            case .item(let name): return items[name]
            case .arithmetic(let sign, let left, let right):
                guard let one = left.value(items), let other = right.value(items) else { return nil }
                return sign == "+" ? one + other : sign == "-" ? one - other : one * other
            }
        }
    }

    private indirect enum LogicTree {
        case compare(String, Tree, Tree)
        case combine(String, LogicTree, LogicTree)
        case not(LogicTree)

        var text: String {
            switch self {
            case .compare(let sign, let left, let right): "\(left.text) \(sign) \(right.text)"
            case .combine(let word, let left, let right): "(\(left.text)) \(word) (\(right.text))"
            case .not(let inner): "not (\(inner.text))"
            }
        }

        func value(_ items: [String: Int]) -> Bool? {
            switch self {
            case .compare(let sign, let left, let right):
                guard let one = left.value(items), let other = right.value(items) else { return nil }
                switch sign {
                case "=": return one == other
                case "!=": return one != other
                case "<": return one < other
                case "<=": return one <= other
                case ">": return one > other
                default: return one >= other
                }
            case .combine(let word, let left, let right):
                let both = [left.value(items), right.value(items)]
                let deciding = word == "or"
                if both.contains(deciding) { return deciding }
                return both.contains(nil) ? nil : !deciding
            case .not(let inner): return inner.value(items).map { !$0 }
            }
        }
    }

    @Test func `random expressions agree with an independent evaluator`() throws {
        var random = QuestionnaireRandom(state: 5)
        func tree(_ depth: Int) -> Tree {
            switch Int.random(in: 0..<(depth > 0 ? 4 : 2), using: &random) {
            case 0: return .number(Int.random(in: 0...4, using: &random))
            case 1: return .item(["a", "b", "c"].randomElement(using: &random) ?? "a")
            default:
                let sign = ["+", "-", "*"].randomElement(using: &random) ?? "+"
                return .arithmetic(sign, tree(depth - 1), tree(depth - 1))
            }
        }
        func logic(_ depth: Int) -> LogicTree {
            switch Int.random(in: 0..<(depth > 0 ? 4 : 1), using: &random) {
            case 0:
                let sign = ["=", "!=", "<", "<=", ">", ">="].randomElement(using: &random) ?? "="
                return .compare(sign, tree(2), tree(2))
            case 1: return .not(logic(depth - 1))
            default:
                let word = Bool.random(using: &random) ? "and" : "or"
                return .combine(word, logic(depth - 1), logic(depth - 1))
            }
        }
        var blanks = 0
        for _ in 0..<3000 {
            let wanted = logic(3)
            var items: [String: Int] = [:]
            for name in ["a", "b", "c"] where Int.random(in: 0..<4, using: &random) > 0 {
                items[name] = Int.random(in: -3...3, using: &random)
            }
            let given = items
            let scope = ExpressionScope(
                value: { given[$0].map { .exact(Quantity($0)) } ?? .blank }, today: nil)
            let expected = wanted.value(items)
            if expected == nil { blanks += 1 }
            #expect(
                try Expression(wanted.text).value(in: scope) == (expected.map { .boolean($0) } ?? .blank),
                "\(wanted.text) of \(items)")
        }
        #expect(blanks > 100)
    }
}
