import Testing

@testable import SaunterEvaluation

@Suite struct BinaryRowsTests {
    private static let header: [UInt8] =
        Array("PGCOPY\n".utf8) + [0xFF, 0x0D, 0x0A, 0] + [0, 0, 0, 0] + [0, 0, 0, 0]
    private static let end: [UInt8] = [0xFF, 0xFF]
    private static let row: [UInt8] = [0, 2, 0, 0, 0, 2, 7, 8, 0xFF, 0xFF, 0xFF, 0xFF]

    private func fields(_ pieces: [[UInt8]]) throws -> [[[UInt8]?]] {
        var rows = BinaryRows(fieldCount: 2)
        var found: [[[UInt8]?]] = []
        for piece in pieces {
            try rows.forEachRow(in: piece) { fields in found.append(fields.map { $0.map { Array($0) } }) }
        }
        return found
    }

    @Test func `rows with nulls are read from pieces of complete rows`() throws {
        let found = try fields([Self.header + Self.row, Self.row + Self.row, Self.end])

        #expect(found == Array(repeating: [[7, 8], nil], count: 3))
        #expect(try fields([Self.header + Self.end]) == [])
    }

    @Test(arguments: [
        Array(row.dropLast()), Array(row.prefix(7)), Array(row.prefix(3)), [0], [0, 3, 0, 0, 0, 0],
        [0, 2, 0x7F, 0xFF, 0xFF, 0xFF, 1],
    ])
    func `malformed input throws and does not trap`(row: [UInt8]) {
        #expect(throws: DatasetFault.self) { try fields([Self.header + row]) }
        for length in 0..<Self.header.count {
            // Every truncation must return or throw without a trap.
            _ = try? fields([Array(Self.header.prefix(length))])
        }
    }

    @Test(arguments: [("{}", []), ("{0}", [0]), ("{0,-996,12}", [0, -996, 12])])
    func `slots are parsed from the text of an array`(text: String, slots: [Int]) throws {
        var answers = StoredAnswerFields()
        try Array(text.utf8).withUnsafeBytes { try answers.readSlots($0) }

        #expect(answers.slots == slots)
        #expect(answers.slot(slots.count) == StoredAnswerFields.nothing)
        #expect(answers.slot(-1) == StoredAnswerFields.nothing)
    }

    @Test(arguments: ["", "{", "}", "{NULL}", "[0:1]={1,2}", "{99999999999999999999999}", "{1 2}", "{{1}}"])
    func `a malformed array is rejected`(text: String) {
        var answers = StoredAnswerFields()

        #expect(throws: DatasetFault.self) {
            try Array(text.utf8).withUnsafeBytes { try answers.readSlots($0) }
        }
    }
}
