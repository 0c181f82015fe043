import Testing

@testable import SaunterServer

@Suite struct LineSplitterTests {
    private static func lines(_ pieces: [String], longest: Int = 100) -> [String] {
        var splitter = LineSplitter(longest: longest)
        var lines = pieces.flatMap { splitter.add(Array($0.utf8)) }
        if let last = splitter.end() { lines.append(last) }
        return lines.map {
            "\($0.number) \($0.bytes.map { String(decoding: $0, as: UTF8.self) } ?? "too long")"
        }
    }

    @Test(arguments: [
        (["a\nb\n"], ["1 a", "2 b"]), (["a\nb"], ["1 a", "2 b"]),
        (["", "a", "", "b\n", "c"], ["1 ab", "2 c"]),
        (["\n\n a\r\n\t \n"], ["3  a\r"]), ([], []), (["\n"], []), (["a", "\n", "b", "\n"], ["1 a", "2 b"]),
    ])
    func `lines come whole, with their numbers, however the bytes arrive`(
        _ pieces: [String], _ lines: [String]
    ) {
        #expect(Self.lines(pieces) == lines)
    }

    @Test func `of a line that is too long its number is told, and the next is whole`() {
        #expect(
            Self.lines(["1234", "5\n12345", "6\n", "x\n1234567"], longest: 5) == [
                "1 12345", "2 too long", "3 x", "4 too long",
            ])
    }

    @Test func `a short line takes little room, whatever came before it`() {
        var splitter = LineSplitter(longest: 100_000)
        let lines = splitter.add([UInt8](repeating: 0x31, count: 60_000) + Array("\n1\n2\n3\n".utf8))

        #expect(lines.count == 4)
        #expect(lines.dropFirst().allSatisfy { ($0.bytes?.capacity ?? .max) < 256 })
    }

    @Test func `of a line that is too long nothing is kept`() {
        var splitter = LineSplitter(longest: 10)
        for _ in 0..<1000 { #expect(splitter.add([UInt8](repeating: 0x20, count: 9)).isEmpty) }

        #expect(splitter.restCount <= 10)
    }
}
