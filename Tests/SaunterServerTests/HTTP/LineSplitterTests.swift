import Testing

@testable import SaunterServer

@Suite struct LineSplitterTests {
    private static func lines(_ pieces: [String], maximumBytes: Int = 100) -> [String] {
        var splitter = LineSplitter(maximumBytes: maximumBytes)
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
    func `lines are complete and have their numbers, with any division of the bytes`(
        _ pieces: [String], _ lines: [String]
    ) {
        #expect(Self.lines(pieces) == lines)
    }

    @Test func `a line that is too long has only its number, and the next line is complete`() {
        #expect(
            Self.lines(["1234", "5\n12345", "6\n", "x\n1234567"], maximumBytes: 5) == [
                "1 12345", "2 too long", "3 x", "4 too long",
            ])
    }

    @Test func `a short line needs little memory, even after a long line`() {
        var splitter = LineSplitter(maximumBytes: 100_000)
        let lines = splitter.add([UInt8](repeating: 0x31, count: 60_000) + Array("\n1\n2\n3\n".utf8))

        #expect(lines.count == 4)
        #expect(lines.dropFirst().allSatisfy { ($0.bytes?.capacity ?? .max) < 256 })
    }

    @Test func `no bytes of a line that is too long are kept`() {
        var splitter = LineSplitter(maximumBytes: 10)
        for _ in 0..<1000 { #expect(splitter.add([UInt8](repeating: 0x20, count: 9)).isEmpty) }

        #expect(splitter.restCount <= 10)
    }
}
