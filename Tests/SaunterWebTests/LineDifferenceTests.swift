import Testing

@testable import SaunterWeb

/// The difference of two texts by lines.
@Suite struct LineDifferenceTests {
    private func marked(_ first: String, _ second: String) -> [String] {
        LineDifference(from: first, to: second).lines.map { "\($0.mark)\($0.text)" }
    }

    @Test func `a changed line is shown with both texts`() {
        #expect(marked("a\nb\nc", "a\nB\nc") == [" a", "-b", "+B", " c"])
        #expect(marked("a\nb", "a\nb\nc") == [" a", " b", "+c"])
        #expect(marked("", "a") == ["-", "+a"])
        #expect(marked("x\na\nb\ny", "a\nz\nb") == ["-x", " a", "+z", " b", "-y"])
    }

    @Test func `equal texts have no difference, regardless of their line ends`() {
        #expect(LineDifference(from: "a\nb\n", to: "a\r\nb\r\n").isEmpty)
        #expect(LineDifference(from: "a", to: "a").lines.map(\.mark) == ["…"])
        #expect(!LineDifference(from: "a", to: "a\n").isEmpty)
    }

    @Test func `lines far from a difference are left out once`() {
        let lines = (1...20).map(String.init)
        var other = lines
        other[9] = "ten"
        #expect(
            marked(lines.joined(separator: "\n"), other.joined(separator: "\n"))
                == ["…", " 7", " 8", " 9", "-10", "+ten", " 11", " 12", " 13", "…"])
    }

    @Test func `both texts can be read from a difference without gaps`() {
        // Texts of five lines from a small alphabet: every order of insertions and removals occurs.
        func text(_ seed: Int) -> [String] { (0..<5).map { String((seed >> ($0 * 2)) % 3) } }
        for seed in stride(from: 0, to: 1024, by: 7) {
            let (old, new) = (text(seed), text(seed &* 31 &+ 5))
            let lines = LineDifference(
                from: old.joined(separator: "\n"), to: new.joined(separator: "\n")
            ).lines
            guard !lines.contains(where: { $0.mark == "…" }) else { continue }
            #expect(lines.filter { $0.mark != "+" }.map(\.text) == old)
            #expect(lines.filter { $0.mark != "-" }.map(\.text) == new)
        }
    }

    @Test func `a long difference takes a bounded number of steps`() {
        let (old, new) = ((0..<30_000).map { "a\($0)" }, (0..<30_000).map { "b\($0)" })
        let lines = LineDifference(
            from: old.joined(separator: "\n"), to: new.joined(separator: "\n")
        ).lines
        #expect(lines.count == 60_000)
        #expect(lines.prefix(30_000).allSatisfy { $0.mark == "-" })
    }
}
