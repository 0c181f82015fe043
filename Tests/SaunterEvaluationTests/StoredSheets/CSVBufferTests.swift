import Testing

@testable import SaunterEvaluation

@Suite struct CSVBufferTests {
    private func text(_ body: (inout CSVBuffer) -> Void) -> String {
        var buffer = CSVBuffer(capacity: 1)
        body(&buffer)
        return String(decoding: buffer.bytes, as: UTF8.self)
    }

    @Test(arguments: [
        ("plain", "plain"), ("", "\"\""), ("a,b", "\"a,b\""), ("a\"b", "\"a\"\"b\""), ("a\nb", "\"a\nb\""),
        ("a\rb", "\"a\rb\""), ("=1+1", "=1+1"), ("ü", "ü"),
    ])
    func `a field has quotation marks exactly if COPY writes them`(field: String, written: String) {
        #expect(text { buffer in Array(field.utf8).withUnsafeBytes { buffer.putField($0) } } == written)
    }

    @Test(arguments: [
        (0, "0"), (-1, "-1"), (10, "10"), (Int64.max, "9223372036854775807"),
        (Int64.min, "-9223372036854775808"),
    ])
    func `a whole number has no superfluous digits`(number: Int64, written: String) {
        #expect(text { $0.put(number) } == written)
    }

    /// Microseconds since 2000-01-01, as in PostgreSQL.
    private static let moments: [(Int64, String)] = [
        (0, "2000-01-01T00:00:00.000"), (-1, "1999-12-31T23:59:59.999"),
        (5_097_600_001_999, "2000-02-29T00:00:00.001"),
        (828_146_400_250_000, "2026-03-30T00:40:00.250"),
        (-63_082_281_660_000_000, "0001-12-31T23:59:00.000"),
        (252_455_615_999_999_999, "9999-12-31T23:59:59.999"), (Int64.max, ""), (Int64.min, ""),
    ]

    @Test(arguments: moments)
    func `an instant is written in the Gregorian calendar with milliseconds`(at: Int64, written: String) {
        #expect(text { $0.putMoment(at) } == written)
    }

    @Test func `written bytes can be repeated while the buffer grows`() {
        let written = text { buffer in
            buffer.put(UInt8(ascii: "a"))
            for _ in 0..<10 { buffer.repeatBytes(0..<buffer.count) }
        }

        #expect(written == String(repeating: "a", count: 1024))
    }
}
