import Testing

@testable import SaunterEvaluation

@Suite struct CSVSlicesTests {
    @Test func `fields are unchanged for every split into pieces`() throws {
        let text = "a,\"b\"\"c\"\"\",\n\"\",,\"d\n,\"\n\u{E4}\"x,\"\"\"\",\"\"\"\"\"\"\n"
        let bytes = Array(text.utf8)
        for size in 1...bytes.count {
            var slices = CSVSlices()
            var found: [[String?]] = []
            for start in stride(from: 0, to: bytes.count, by: size) {
                try slices.forEachRecord(in: Array(bytes[start..<min(start + size, bytes.count)])) { slice in
                    found.append(
                        (0..<slice.count).map { index in
                            slice.withField(index) { $0.map { String(decoding: $0, as: UTF8.self) } }
                        })
                }
            }

            #expect(found == [["a", "b\"c\"", nil], ["", nil, "d\n,"], ["\u{E4}\"x", "\"", "\"\""]])
        }
    }

    @Test func `a record without an end is not returned`() throws {
        var slices = CSVSlices()
        try slices.forEachRecord(in: Array("a,\"b\nc".utf8)) { _ in Issue.record("a record without its end") }
    }
}
