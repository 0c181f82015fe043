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
    func `whole texts match, and nothing else`(pattern: String, matching: [String], others: [String]) throws {
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
    func `what cannot be read is refused with its place`(pattern: String, position: Int) {
        #expect { try Pattern(pattern) } throws: { ($0 as? PatternFault)?.position == position }
    }

    @Test func `patterns that make other engines run away are walked once`() throws {
        let text = String(repeating: "a", count: 2000) + "!"

        #expect(!(try Pattern("(a*)*")).matches(text))
        #expect(!(try Pattern("(a|a)+b")).matches(text))
        #expect(!(try Pattern("(a?){50}a{50}")).matches(text))
        // Nothing, 64 million million times.
        #expect(!(try Pattern("(((((((){200}){200}){200}){200}){200}){200})")).matches(text))
    }

    /// Another engine, which does backtrack, for patterns on which it cannot run away.
    @Test func `random patterns match what another engine matches`() throws {
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
