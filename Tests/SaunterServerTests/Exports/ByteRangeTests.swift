import Testing

@testable import SaunterServer

@Suite struct ByteRangeTests {
    @Test(arguments: [
        ("bytes=0-9", ByteRange.part(0..<10)), ("bytes=90-", .part(90..<100)), ("bytes=-10", .part(90..<100)),
        ("bytes=-1000", .part(0..<100)), ("bytes=95-1000", .part(95..<100)), ("bytes=99-99", .part(99..<100)),
        ("bytes=0-9223372036854775807", .part(0..<100)),
    ])
    func `a single range selects a part of the file`(header: String, expected: ByteRange) {
        #expect(ByteRange(header, length: 100) == expected)
    }

    @Test(arguments: ["bytes=100-", "bytes=100-200", "bytes=-0"])
    func `a range beyond the end is unsatisfiable`(header: String) {
        #expect(ByteRange(header, length: 100) == .unsatisfiable)
    }

    @Test(arguments: [
        nil, "", "bytes", "bytes=", "bytes=-", "bytes=a-b", "bytes=9-1", "items=0-1", "bytes=0-1,5-6",
        "bytes=99999999999999999999-", "bytes=--5",
    ])
    func `any other header value selects the whole file`(header: String?) {
        #expect(ByteRange(header, length: 100) == .whole)
    }

    @Test func `every range of an empty file is unsatisfiable`() {
        #expect(ByteRange("bytes=0-", length: 0) == .unsatisfiable)
        #expect(ByteRange("bytes=-5", length: 0) == .unsatisfiable)
        #expect(ByteRange(nil, length: 0) == .whole)
    }
}
