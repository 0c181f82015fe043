import Testing

@testable import SaunterEvaluation

@Suite struct RowCountTests {
    @Test(arguments: [("", 0), ("a\n1\n", 2), ("a\n\"x\n\"\"y\n\"\n2\n", 3)])
    func `line ends inside quotation marks end no record, for every split into pieces`(
        text: String, records: Int
    ) {
        let bytes = Array(text.utf8)
        for size in 1...max(1, bytes.count) {
            var count = RowCount()
            for start in stride(from: 0, to: bytes.count, by: size) {
                count.add(Array(bytes[start..<min(start + size, bytes.count)]))
            }
            #expect(count.records == records)
        }
    }
}
