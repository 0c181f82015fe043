import Foundation
import Testing

@testable import SaunterCore

@Suite struct PatternTests {
    @Test(arguments: [
        ("abc", ["abc"], ["", "ab", "abcd", "xabc"]), ("", [""], ["a"]),
        ("a|bc|", ["a", "bc", ""], ["ab", "c"]),
        ("[a-c]+", ["a", "cab"], ["", "d", "ad"]), ("[^a-c]", ["d", "ß"], ["a", "dd", ""]),
        ("[]a-]*", ["]", "a-]", ""], ["b"]), ("a{2,3}", ["aa", "aaa"], ["a", "aaaa"]),
        ("(ab){2}", ["abab"], ["ab", "ababab"]), ("a{2,}", ["aa", "aaaaa"], ["a"]),
        (#"\d{5}"#, ["01234"], ["1234", "a1234", "٠١٢٣٤"]), (#"\w+\s\S"#, ["a_1 x"], ["a x ", " x"]),
        (#"\p{L}+"#, ["Käthe", "Ωμ"], ["K1", ""]), (#"\."#, ["."], ["a"]),
        (".", ["a", "\n", "🦉"], ["", "ab"]),
        ("^a$", ["a"], ["^a$"]), ("(a|b)*c", ["c", "abbac"], ["ab", "cc"]), ("(?:x?)*", ["", "xxx"], ["y"]),
        (#"[\d\-.]+"#, ["1-2.3"], ["1,2"]), (#"a\|b"#, ["a|b"], ["a", "b"]),
    ])
    func `only complete texts match`(pattern: String, matching: [String], others: [String]) throws {
        let pattern = try Pattern(pattern)

        #expect(matching.allSatisfy(pattern.matches))
        #expect(!others.contains(where: pattern.matches))
    }

    @Test(arguments: [
        ("(a", 3), ("a)", 2), ("[a", 3), ("*a", 1), ("a**", 3), ("a{3,2}", 7), ("a{x}", 3), ("a{201}", 6),
        (#"\b"#, 2), (#"\"#, 2), ("(?=a)", 3), (#"(a)\1"#, 5), ("a^b", 2), (#"\p{Lu}"#, 5), ("[b-a]", 5),
        ("((a{200}){200})", 1), (String(repeating: "(", count: 30), 21),
        (String(repeating: "a", count: 501), 500),
    ])
    func `a syntax error is rejected with its position`(pattern: String, position: Int) {
        #expect { try Pattern(pattern) } throws: { ($0 as? PatternFault)?.position == position }
    }

    @Test(
        arguments: [
            ("abc", 1...9, 3...3), ("a|bc|", 0...5, 0...2), ("[a-c]+", 4...6, 4...6),
            ("[^a-z0-9]{2}", 1...9, 2...2),
            (#"\p{L}[\d\-.]*"#, 3...3, 3...3), ("(ab|c){2,}", 5...5, 5...5), ("(?:x?)*y", 1...4, 1...4),
            (#"\S+@\w+\.(de|org)"#, 1...1000, 6...1000), ("[а-я]{3}", 1...9, 3...3),
            (#"\d{5}"#, 1...Int.max, 5...5),
            ("a{200}", 1...200, 200...200), ("[^ -~]", 1...1, 1...1), (#"\D\W\S"#, 1...3, 3...3),
            // The empty text in sixty ways, repeated any number of times.
            ("(\(String(repeating: "|", count: 60))b)+", 1...3, 1...3),
        ] as [(String, ClosedRange<Int>, ClosedRange<Int>)])
    func `examples match the pattern and the length limits`(
        source: String, lengths: ClosedRange<Int>, possible: ClosedRange<Int>
    ) throws {
        let pattern = try Pattern(source)
        for seed in UInt64(0)..<50 {
            var random = QuestionnaireRandom(state: seed)
            let example = pattern.example(lengths: lengths, from: &random)
            let text = try #require(example)

            #expect(pattern.matches(text), "\(text)")
            #expect(possible.contains(text.unicodeScalars.count), "\(text)")
        }
    }

    @Test(arguments: [("abc", 4...9), ("(ab)+", 3...3), ("a+", 1001...2000)])
    func `there is no example if no matching text has a permitted length`(
        source: String, lengths: ClosedRange<Int>
    ) throws {
        var random = QuestionnaireRandom(state: 1)

        let example = try Pattern(source).example(lengths: lengths, from: &random)

        #expect(example == nil)
    }

    @Test func `patterns that cause catastrophic backtracking elsewhere are fast`() throws {
        let text = String(repeating: "a", count: 2000) + "!"

        #expect(!(try Pattern("(a*)*")).matches(text))
        #expect(!(try Pattern("(a|a)+b")).matches(text))
        #expect(!(try Pattern("(a?){50}a{50}")).matches(text))
        // The empty text, 64 million million times.
        #expect(!(try Pattern("(((((((){200}){200}){200}){200}){200}){200})")).matches(text))
    }

    /// Compares with a backtracking engine, for patterns that it can handle.
    @Test func `random patterns agree with another engine`() throws {
        var random = QuestionnaireRandom(state: 11)
        func tree(_ depth: Int) -> String {
            switch Int.random(in: 0..<(depth > 0 ? 8 : 3), using: &random) {
            case 0: "a"
            case 1: "b"
            case 2: "[ab]"
            case 3: "[^a]"
            case 4: "(\(tree(depth - 1))|\(tree(depth - 1)))"
            case 5: "(\(tree(depth - 1)))\(["?", "{0,2}", "{2}", "*"].randomElement(using: &random) ?? "?")"
            default: tree(depth - 1) + tree(depth - 1)
            }
        }
        var matches = 0
        for _ in 0..<400 {
            let source = tree(3)
            let pattern = try Pattern(source)
            let other = try NSRegularExpression(pattern: "\\A(?:\(source))\\z")
            for _ in 0..<20 {
                let count = Int.random(in: 0...6, using: &random)
                let text = String((0..<count).map { _ in "abc".randomElement(using: &random) ?? "a" })
                let range = NSRange(text.startIndex..., in: text)
                let expected = other.firstMatch(in: text, range: range) != nil
                if expected { matches += 1 }
                #expect(pattern.matches(text) == expected, "\(source) on \(text)")
            }
        }
        #expect(matches > 100)
    }
}
