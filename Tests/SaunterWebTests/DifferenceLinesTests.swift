import Testing

@testable import SaunterWeb

/// The difference of two texts by lines, for a page that shows both.
@Suite struct DifferenceLinesTests {
    private func marked(_ first: String, _ second: String) throws -> [String] {
        let words = try Words(WebFiles(folder: nil)).language(accepting: "en")
        return DifferenceView.lines(from: first, to: second, words).map {
            "\($0["mark"] as? String ?? "")\($0["text"] as? String ?? "")"
        }
    }

    @Test func `a changed line is shown with both texts`() throws {
        #expect(try marked("a\nb\nc", "a\nB\nc") == [" a", "-b", "+B", " c"])
        #expect(try marked("a\nb", "a\nb\nc") == [" a", " b", "+c"])
        #expect(try marked("", "a") == ["+a"])
        #expect(try marked("x\na\nb\ny", "a\nz\nb") == ["-x", " a", "+z", " b", "-y"])
    }

    @Test func `equal texts have no difference, regardless of their line ends`() throws {
        for (first, second) in [("a\nb\n", "a\r\nb\r\n"), ("a\nb", "a\nb")] {
            #expect(try marked(first, second) == ["…2 unchanged lines"])
        }
    }

    @Test func `lines far from a difference are left out once`() throws {
        let lines = (1...20).map(String.init)
        var other = lines
        other[9] = "ten"
        #expect(
            try marked(lines.joined(separator: "\n"), other.joined(separator: "\n"))
                == [
                    "…6 unchanged lines", " 7", " 8", " 9", "-10", "+ten", " 11", " 12", " 13",
                    "…7 unchanged lines",
                ])
    }

    @Test func `a long difference takes a bounded number of steps and lines`() throws {
        let (old, new) = ((0..<30_000).map { "a\($0)" }, (0..<30_000).map { "b\($0)" })
        let lines = try marked(old.joined(separator: "\n"), new.joined(separator: "\n"))
        #expect(lines.count == DifferenceView.maximumLines + 1)
        #expect(lines.last?.hasPrefix("…") == true)
    }
}
