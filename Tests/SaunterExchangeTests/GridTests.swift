import Testing

@testable import SaunterExchange

@Suite struct GridTests {
    private func refusal(_ bytes: [UInt8]) -> String? {
        let refusal = #expect(throws: ImportRefusal.self) { _ = try Grid(csv: bytes) }
        return refusal?.text
    }

    @Test func `what is no UTF-8 is refused with its line, and not mended`() {
        let bytes = Array("type,name\ntext,a\ntext,".utf8) + [0xFC] + Array("\n".utf8)

        #expect(refusal(bytes) == "line 3: this is no text in UTF-8: save the file in UTF-8")
    }

    @Test func `a quote that is never closed takes in no rows`() {
        let text = "type,label\ntext,\"one\ntwo\"\ntext,\"open\ntext,a\n"

        #expect(refusal(Array(text.utf8)) == "line 4: a quote that begins here is not closed")
    }

    @Test func `quotes within a cell and breaks within quotes are text`() throws {
        let grid = try Grid(csv: Array("a,5\" wide,\"x\ny \"\"z\"\"\"\nb\n".utf8))

        #expect(grid.rows.map(\.cells) == [["a", "5\" wide", "x\ny \"z\""], ["b"]])
        #expect(grid.rows.map(\.number) == [1, 3])
    }
}
