import Testing

@testable import SaunterServer

@Suite struct CompressionTests {
    @Test(arguments: [0, 1, 1000, 65_536, 300_000])
    func `what is compressed comes back`(_ count: Int) throws {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 7) }

        let small = try #require(Deflation.gzip(bytes))

        #expect(try Inflation.gunzip(small, limit: count) == bytes)
    }

    @Test func `pieces make one whole`() throws {
        let deflation = Deflation()

        let first = try #require(deflation.add(Array("one, ".utf8), isLast: false))
        let rest = try #require(deflation.add(Array("two".utf8), isLast: true))

        #expect(try Inflation.gunzip(first + rest, limit: 100) == Array("one, two".utf8))
    }

    @Test func `members that follow each other are one text, within one limit`() throws {
        let members = try ["one, ", "", "two"].flatMap { try #require(Deflation.gzip(Array($0.utf8))) }

        #expect(try Inflation.gunzip(members, limit: 8) == Array("one, two".utf8))
        #expect(throws: Inflation.Fault.tooLarge) { try Inflation.gunzip(members, limit: 7) }
        for more in [[0], [0x1F], [0, 0, 0, 0], Array("{}".utf8), Array(members.prefix(12))] as [[UInt8]] {
            #expect(throws: Inflation.Fault.broken) { try Inflation.gunzip(members + more, limit: 100) }
        }
    }

    @Test func `one byte beyond the limit is too much`() throws {
        let small = try #require(Deflation.gzip([UInt8](repeating: 1, count: 1000)))

        #expect(throws: Inflation.Fault.tooLarge) { try Inflation.gunzip(small, limit: 999) }
    }

    @Test func `every shortened or damaged form is broken, never more than the limit`() throws {
        let whole = try #require(Deflation.gzip(Array("a text that is compressed, some more of it".utf8)))

        for count in 0..<whole.count {
            #expect(throws: Inflation.Fault.broken) {
                try Inflation.gunzip(Array(whole.prefix(count)), limit: 1000)
            }
        }
        for place in whole.indices {
            var damaged = whole
            damaged[place] ^= 0xFF
            let result = try? Inflation.gunzip(damaged, limit: 1000)
            #expect((result?.count ?? 0) <= 1000)
        }
    }

    @Test(arguments: [
        (nil, false), ("", false), ("gzip", true), ("GZIP", true), ("deflate, gzip;q=1.0", true),
        ("gzip;q=0", false),
        ("gzip; q=0.0", false), ("*", true), ("*;q=0", false), ("br", false), ("*, gzip;q=0", false),
        ("gzip;q=x", false),
    ])
    func `Accept-Encoding is read`(_ header: String?, _ expected: Bool) {
        #expect(AcceptEncoding.takesGzip(header) == expected)
    }
}
