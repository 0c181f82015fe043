import Mutations
import Testing

@Suite("Mutants of a source file")
struct MutantTests {
    /// `operator: original → replacement` of each mutant.
    private func changes(in source: String) -> [String] {
        Mutant.all(in: source, path: "A.swift").map {
            "\($0.operator.rawValue): \($0.original) → \($0.replacement)"
        }
    }

    @Test(arguments: [
        ("a < b", ["boundary: < → <=", "comparison: < → >="]),
        ("a <= b", ["boundary: <= → <", "comparison: <= → >"]),
        ("a > b", ["boundary: > → >=", "comparison: > → <="]),
        ("a >= b", ["boundary: >= → >", "comparison: >= → <"]),
        ("a == b", ["comparison: == → !="]),
        ("a != b", ["comparison: != → =="]),
        ("a && b", ["logic: && → ||"]),
        ("a || b", ["logic: || → &&"]),
        ("a + b", ["arithmetic: + → -"]),
        ("a - b", ["arithmetic: - → +"]),
        ("a..<b", ["boundary: ..< → ..."]),
        ("a...b", ["boundary: ... → ..<"]),
        ("!a", ["not: !a → a"]),
        ("true", ["boolean: true → false"]),
        ("7", ["integer: 7 → 6", "integer: 7 → 8"]),
        ("0", ["integer: 0 → 1"]),
        ("0x1F", ["integer: 0x1F → 30", "integer: 0x1F → 32"]),
        ("1_000", ["integer: 1_000 → 1001", "integer: 1_000 → 999"]),
        ("a * b", []),
        ("a.0", []),
        ("a as! B", []),
        ("a!", []),
    ])
    func `an expression has these mutants`(expression: String, expected: [String]) {
        #expect(changes(in: "let x = \(expression)") == expected)
    }

    @Test func `a compound assignment has a mutant`() {
        #expect(changes(in: "x += y") == ["arithmetic: += → -="])
    }

    @Test func `each condition is forced true, and the list of conditions is forced false`() {
        let source = "func f() { guard a, let b = c else { return }; if d { } }"

        #expect(
            changes(in: source) == [
                "forced-true: a → true", "forced-false: a → false, a", "forced-true: d → true",
                "forced-false: d → false, d",
            ])
    }

    @Test func `a list that begins with a binding can be forced false`() {
        #expect(changes(in: "if let a = b { }") == ["forced-false: let a = b → false, let a = b"])
    }

    @Test func `a call whose result is not used is removed`() {
        let source = """
            func f() async throws {
                try await store.write(x)
                log(x)
                let y = compute(x)
                precondition(y)
                return make(y)
            }
            """

        #expect(changes(in: source) == ["call: try await store.write(x) → ", "call: log(x) → "])
    }

    @Test func `the only expression of a closure or of a function with a result stays`() {
        let source = """
            func f() -> Int { make() }
            let g = { make() }
            var h: Int { make() }
            func i() { make() }
            """

        #expect(changes(in: source) == ["call: make() → "])
    }

    @Test func `attributes and conditions of compilation have no mutants`() {
        let source = """
            @available(macOS 15, *)
            func f() {
                #if swift(>=6.0) && DEBUG
                    a = true
                #endif
                if #available(macOS 15, *) { }
            }
            """

        #expect(changes(in: source) == ["boolean: true → false"])
    }

    @Test func `ids count the mutants of one operator in one symbol`() {
        let source = """
            let limit = 0
            struct Price {
                var isFree = false
                init() { a = 0 }
                func total() -> Bool {
                    func local() { b = 0 }
                    let inner = x && y
                    return inner && z
                }
            }
            extension Price.Part { subscript(i: Int) -> Int { 0 } }
            """

        #expect(
            Mutant.all(in: source, path: "A.swift").map(\.id) == [
                "A.swift#limit:integer:1", "A.swift#Price.isFree:boolean:1", "A.swift#Price.init:integer:1",
                "A.swift#Price.total.local:integer:1", "A.swift#Price.total:logic:1",
                "A.swift#Price.total:logic:2", "A.swift#Price.Part.subscript:integer:1",
            ])
    }

    @Test func `a mutant knows its line and column, and is inside its declarations`() throws {
        let mutant = try #require(
            Mutant.all(in: "struct Price {\n    let é = \"é\", free = true\n}", path: "A").first)

        #expect((mutant.line, mutant.column) == (2, 27))
        #expect(mutant.isInside("Price") && mutant.isInside("Price.free") && mutant.isInside("free"))
        #expect(!mutant.isInside("Pri") && !mutant.isInside("Price.fre"))
    }

    @Test func `applying a mutant changes its bytes and nothing else`() throws {
        let source = "// Größe\nlet isLarge = size >= 10 // ≥ 10\n"
        let mutants = Mutant.all(in: source, path: "A.swift")

        let changed = mutants.compactMap { $0.applied(to: source) }

        #expect(
            changed == [
                "// Größe\nlet isLarge = size > 10 // ≥ 10\n", "// Größe\nlet isLarge = size < 10 // ≥ 10\n",
                "// Größe\nlet isLarge = size >= 11 // ≥ 10\n", "// Größe\nlet isLarge = size >= 9 // ≥ 10\n",
            ])
        #expect(mutants.allSatisfy { $0.applied(to: "let isLarge = false") == nil })
    }

    @Test func `mutants have the same ids and the same order every time`() {
        let source = (0..<50).map { "func f\($0)() -> Bool { a < \($0) && !b }" }.joined(separator: "\n")

        let first = Mutant.all(in: source, path: "A.swift")

        #expect(first == Mutant.all(in: source, path: "A.swift"))
        #expect(Set(first.map(\.id)).count == first.count)
    }
}
