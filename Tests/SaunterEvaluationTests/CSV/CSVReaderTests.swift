import SaunterCore
import Testing

@testable import SaunterEvaluation

@Suite struct CSVReaderTests {
    @Test(arguments: [
        ("a,b\n1,2\n", [["a", "b"], ["1", "2"]]),
        ("a,b\r\n1,2", [["a", "b"], ["1", "2"]]),
        ("\u{FEFF}a\n\n1\n", [["a"], ["1"]]),
        ("a,\"b\"\"c\nd\",\n", [["a", "b\"c\nd", ""]]),
        ("\"\",x\n", [["", "x"]]),
        ("", []),
        ("ü,𝄞\n", [["ü", "𝄞"]]),
    ])
    func `records are read as RFC 4180 defines`(text: String, expected: [[String]]) throws {
        #expect(try records(CSVReader(text)).map(\.fields) == expected)
        // The same text, one byte per piece.
        var bytes = Array(text.utf8)[...]
        let slow = CSVReader {
            defer { bytes = bytes.dropFirst() }
            return Array(bytes.prefix(1))
        }
        #expect(try records(slow).map(\.fields) == expected)
    }

    @Test func `a record has the number of the line on which it begins`() throws {
        #expect(try records(CSVReader("a\n\"x\ny\"\n\nb\n")).map(\.line) == [1, 2, 5])
    }

    @Test(arguments: [
        ("a\nb\"c\n", CSVFault(line: 2, reason: "a quotation mark inside a field that is not quoted")),
        ("a\n\"b\n\nc", CSVFault(line: 2, reason: "a quoted field is not closed")),
        ("\"a\"b\n", CSVFault(line: 1, reason: "text follows a closing quotation mark")),
        ("a\rb\n", CSVFault(line: 1, reason: "CR without LF")),
    ])
    func `a text that is not CSV is rejected with the line of the fault`(text: String, fault: CSVFault) {
        #expect(throws: fault) { try records(CSVReader(text)) }
    }

    @Test(arguments: [[0xFF, 0x0A], [0xEF, 0xBB, 0x0A], [0xC0, 0x80, 0x0A]] as [[UInt8]])
    func `a text that is not UTF-8 is rejected`(bytes: [UInt8]) {
        var rest: [UInt8]? = bytes
        let reader = CSVReader {
            defer { rest = nil }
            return rest ?? []
        }
        #expect(throws: CSVFault(line: 1, reason: "not UTF-8")) { try records(reader) }
    }

    @Test func `an endless field is rejected before it fills the memory`() {
        var left = 40
        let reader = CSVReader {
            left -= 1
            return left > 0 ? Array(repeating: UInt8(ascii: "x"), count: 1 << 16) : []
        }
        #expect(throws: CSVFault(line: 1, reason: "a field of more than 1 MiB")) { try records(reader) }
        let commas = String(repeating: ",", count: 6000)
        #expect(throws: CSVFault(line: 1, reason: "more than 5000 fields")) { try records(CSVReader(commas)) }
    }

    @Test(arguments: [nil, "", "a", "a,b", "a\"b", "a\nb", "a\rb", "\\.", "=1+1", " x "] as [String?])
    func `a written field is read unchanged`(field: String?) throws {
        var text = CSVText(header: ["x", "y"])
        text.add([field, "end"])

        let again = try records(CSVReader(String(decoding: text.bytes, as: UTF8.self)))
        #expect(again.map(\.fields) == [["x", "y"], [field ?? "", "end"]])
    }

    private func records(_ reader: CSVReader) throws -> [CSVRecord] {
        var reader = reader
        var records: [CSVRecord] = []
        while let record = try reader.next() { records.append(record) }
        return records
    }
}
