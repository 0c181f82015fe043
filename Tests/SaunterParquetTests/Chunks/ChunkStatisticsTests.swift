import Testing

@testable import SaunterParquet

@Suite struct ChunkStatisticsTests {
    @Test func `NaN is not a bound, and a bound of zero includes both signs`() {
        var statistics = ChunkStatistics()
        #expect(Self.doubles([.nan], &statistics) == nil)
        #expect(Self.doubles([0.0], &statistics) == [Double(-0.0).bitPattern, Double(0.0).bitPattern])
        #expect(Self.doubles([.nan, 2, -3], &statistics) == [Double(-3).bitPattern, Double(2).bitPattern])

        var negative = ChunkStatistics()
        #expect(Self.doubles([-0.0], &negative) == [Double(-0.0).bitPattern, Double(0.0).bitPattern])
    }

    @Test func `texts are ordered by their bytes, and long texts are not bounds`() throws {
        var statistics = ChunkStatistics()
        for text in ["b", "ä", "B", "ab"] { Self.include(text, &statistics) }
        let bounds = try #require(statistics.bounds(of: .byteArray))
        #expect(bounds.smallest == Array("B".utf8))
        #expect(bounds.largest == Array("ä".utf8))

        Self.include(String(repeating: "z", count: 128), &statistics)
        #expect(statistics.bounds(of: .byteArray) != nil)
        Self.include("ö" + String(repeating: "z", count: 127), &statistics)
        #expect(statistics.bounds(of: .byteArray) == nil)
    }

    @Test func `integers are stored in the width of their column`() throws {
        var statistics = ChunkStatistics()
        for value in [Int64(3), -2, 260] { statistics.include(value) }

        let narrow = try #require(statistics.bounds(of: .int32))
        #expect(narrow.smallest == ParquetFile.hex("FE FF FF FF"))
        #expect(narrow.largest == ParquetFile.hex("04 01 00 00"))
        let wide = try #require(statistics.bounds(of: .int64))
        #expect(wide.smallest == ParquetFile.hex("FE FF FF FF FF FF FF FF"))
        #expect(wide.largest == ParquetFile.hex("04 01 00 00 00 00 00 00"))
    }

    private static func doubles(_ values: [Double], _ statistics: inout ChunkStatistics) -> [UInt64]? {
        for value in values { statistics.include(value) }
        return statistics.bounds(of: .double).map { bounds in
            [bounds.smallest, bounds.largest].map { $0.reversed().reduce(0) { $0 << 8 | UInt64($1) } }
        }
    }

    private static func include(_ text: String, _ statistics: inout ChunkStatistics) {
        Array(text.utf8).withUnsafeBytes { statistics.include($0) }
    }
}
