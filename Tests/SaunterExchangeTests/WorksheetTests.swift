import Testing

@testable import SaunterExchange

@Suite struct WorksheetTests {
    private func refusal(_ bytes: [UInt8]) -> String? {
        let refusal = #expect(throws: ImportError.self) { _ = try Worksheet(csv: bytes) }
        return refusal?.text
    }

    @Test func `invalid UTF-8 is rejected with its line, and not repaired`() {
        let bytes = Array("type,name\ntext,a\ntext,".utf8) + [0xFC] + Array("\n".utf8)

        #expect(refusal(bytes) == "line 3: the text is not UTF-8. Save the file in UTF-8")
    }

    @Test func `a quote that is never closed is rejected`() {
        let text = "type,label\ntext,\"one\ntwo\"\ntext,\"open\ntext,a\n"

        #expect(refusal(Array(text.utf8)) == "line 4: a quoted field is not closed")
    }

    @Test func `quotes inside a cell and line breaks inside quotes are text`() throws {
        let grid = try Worksheet(csv: Array("a,5\" wide,\"x\ny \"\"z\"\"\"\nb\n".utf8))

        #expect(grid.rows.map(\.cells) == [["a", "5\" wide", "x\ny \"z\""], ["b"]])
        #expect(grid.rows.map(\.number) == [1, 3])
    }

    @Test func `text after a closing quote, CR as a line end and rows without text are accepted`() throws {
        let grid = try Worksheet(csv: Array("a;\"b;\"c\r;\rd;e".utf8))

        #expect(grid.rows.map(\.cells) == [["a", "b;c"], ["d", "e"]])
        #expect(grid.rows.map(\.number) == [1, 3])
    }
}
