import Testing

@testable import SaunterPacks

/// The difference of two texts by line.
@Suite struct TextDifferenceTests {
    private static func marked(_ difference: TextDifference) -> [String] {
        difference.lines.map { "\($0.mark.rawValue)\($0.text)" }
    }

    /// The length of the longest common subsequence, by the textbook table.
    private static func commonLength(_ left: [String], _ right: [String]) -> Int {
        var row = [Int](repeating: 0, count: right.count + 1)
        for a in left {
            var diagonal = 0
            for (index, b) in right.enumerated() {
                let above = row[index + 1]
                row[index + 1] = a == b ? diagonal + 1 : max(above, row[index])
                diagonal = above
            }
        }
        return row[right.count]
    }

    @Test func `a changed line is removed and added at its place`() {
        let difference = TextDifference(from: "a\nb\nc\n", to: "a\nB\nc\nd\n")

        #expect(Self.marked(difference) == [" a", "-b", "+B", " c", "+d"])
        #expect(difference.lines.map(\.before) == [1, 2, nil, 3, nil])
        #expect(difference.lines.map(\.after) == [1, nil, 2, 3, 4])
        #expect(difference.isComplete && difference.counts.added == 2 && difference.counts.removed == 1)
    }

    @Test(arguments: [
        ("", "", []), ("", "a\n", ["+a"]), ("a", "", ["-a"]), ("a\r\nb\r\n", "a\nb", [" a", " b"]),
        ("\n", "", ["-"]), ("é", "e\u{301}", ["-é", "+e\u{301}"]),
    ])
    func `texts without lines, line ends and spellings of letters`(
        before: String, after: String, lines: [String]
    ) {
        let found = Self.marked(TextDifference(from: before, to: after))

        #expect(found.map { Array($0.utf8) } == lines.map { Array($0.utf8) })
    }

    @Test func `the list of changes is correct and the shortest one for random texts`() {
        var state: UInt64 = 7
        func random(_ bound: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % bound
        }
        for _ in 0..<400 {
            let letters = 1 + random(5)
            let left = (0..<random(14)).map { _ in "l\(random(letters))" }
            let right = (0..<random(14)).map { _ in "l\(random(letters))" }
            let difference = TextDifference(
                from: left.joined(separator: "\n"), to: right.joined(separator: "\n"))

            #expect(difference.lines.filter { $0.mark != .added }.map(\.text) == left)
            #expect(difference.lines.filter { $0.mark != .removed }.map(\.text) == right)
            let common = Self.commonLength(left, right)
            #expect(difference.counts.added == right.count - common, "\(left) \(right)")
            #expect(difference.counts.removed == left.count - common, "\(left) \(right)")
        }
    }

    @Test func `two large texts without common lines are compared in bounded time`() {
        let left = (0..<100_000).map { "a\($0)" }.joined(separator: "\n")
        let right = (0..<100_000).map { "b\($0)" }.joined(separator: "\n")
        let difference = TextDifference(from: "same\n" + left, to: "same\n" + right)

        #expect(!difference.isComplete && difference.lines.count == TextDifference.Limits().lines)
        #expect(difference.lines.first?.mark == .same)
    }

    @Test func `many repeated lines do not exceed the limit of comparisons`() {
        let left = String(repeating: "x\n", count: 300_000) + "a\n"
        let right = "b\n" + String(repeating: "x\ny\n", count: 150_000)

        #expect(!TextDifference(from: left, to: right).isComplete)
    }

    @Test func `unchanged lines far from a change are left out of a long text`() {
        let lines = (1...5000).map { "line \($0)" }
        var changed = lines
        changed[2499] = "other"
        let difference = TextDifference(
            from: lines.joined(separator: "\n"), to: changed.joined(separator: "\n"))

        #expect(difference.lines.map { $0.before ?? 0 } == [2497, 2498, 2499, 2500, 0, 2501, 2502, 2503])
        #expect(!difference.isComplete)
    }

    @Test func `a long line is shortened`() throws {
        let line = try #require(
            TextDifference(from: "", to: String(repeating: "w", count: 5000)).lines.first)

        #expect(line.text.count == 1001 && line.text.hasSuffix("…"))
    }
}
