import SaunterCore
import Testing

@testable import SaunterPacks

@Suite struct CSVTableTests {
    private func table(_ text: String) -> (CSVTable?, [String]) {
        let log = FaultLog(file: "f")
        let table = CSVTable(text, log: log)
        return (table, log.faults.map(\.description))
    }

    @Test func `quotes, commas and line ends within fields are kept`() {
        let (table, faults) = table("a,b\r\n\"1,\"\"2\"\"\",x\r\n\"two\nlines\",y\n\nlast,")

        #expect(faults == [])
        #expect(table?.header == ["a", "b"])
        #expect(table?.records.map(\.fields) == [["1,\"2\"", "x"], ["two\nlines", "y"], ["last", ""]])
        #expect(table?.records.map(\.line) == [2, 3, 6])
    }

    @Test(arguments: [
        ("", "f:1: there is no header line"), ("a\n\"x", "f:2: a quoted field is not closed"),
        ("a\nx\"y", "f:2: a quotation mark inside a field that is not quoted"),
        ("a\n\"x\"y", "f:2: text follows a closing quotation mark"),
        ("a,b\n1,2\n1\n", "f:3: expected 2 fields, found 1"),
    ])
    func `an invalid table is rejected with its line`(text: String, fault: String) {
        #expect(table(text).1 == [fault])
    }
}
