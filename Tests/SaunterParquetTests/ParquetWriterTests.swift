import Testing

@testable import SaunterParquet

@Suite struct ParquetWriterTests {
    @Test func `a file of one number equals a calculation by hand`() throws {
        let bytes = try ParquetFile.bytes([ParquetColumn("n", .int32, isRequired: true)], [[.int32(7)]])

        let page = ParquetFile.hex(
            """
            15 00  15 08  15 08  15 B5 E1 E0 B6 08
            1C 15 02 15 00 15 06 15 06 00  00
            07 00 00 00
            """)
        let footer = ParquetFile.hex(
            """
            15 04
            19 2C  48 06 73 63 68 65 6D 61 15 02 00  15 02 25 00 18 01 6E 00
            16 02
            19 1C
              19 1C  26 00 1C
                15 02  19 25 00 06  19 18 01 6E  15 00  16 02  16 36  16 36  26 08
                3C 36 00 28 04 07 00 00 00 18 04 07 00 00 00 11 11 00  00 00
              16 36  16 02  26 08  16 36  00
            28 07 53 61 75 6E 74 65 72
            19 1C 1C 00 00
            00
            """)
        let mark = Array("PAR1".utf8)
        #expect(bytes == mark + page + footer + [UInt8(footer.count), 0, 0, 0] + mark)
    }

    @Test func `a null needs only a level, and values of an optional column are stored without gaps`() throws
    {
        let bytes = try ParquetFile.bytes(
            [ParquetColumn("n", .int32)], [[.int32(1)], [nil], [.int32(2)], [.int32(3)]])

        // Two bytes of levels after their length, then the values.
        let body = ParquetFile.hex("02 00 00 00 03 0D 01 00 00 00 02 00 00 00 03 00 00 00")
        #expect(bytes.firstRange(of: body) != nil)
    }

    @Test func `repeated texts are stored once, before the page of their indices`() throws {
        let rows: [[ParquetValue?]] = ["ja", "ja", "nein", "ja", "nein"].map { [.string($0)] }
        let bytes = try ParquetFile.bytes([ParquetColumn("t", .string, isRequired: true)], rows)

        let dictionary = try #require(
            bytes.firstRange(of: ParquetFile.hex("02 00 00 00 6A 61 04 00 00 00 6E 65 69 6E")))
        // Width 1, one group: 0 0 1 0 1 from the lowest bit.
        let places = try #require(bytes.firstRange(of: ParquetFile.hex("01 03 14")))
        #expect(dictionary.upperBound < places.lowerBound)
    }

    @Test(arguments: [ParquetCompression.none, .gzip])
    func `the same rows give the same bytes`(compression: ParquetCompression) throws {
        let sample = try #require(ParquetSample.all.first { $0.name == "many_rows" })
        let files = try (0..<2).map { _ in
            try ParquetFile.bytes(sample.columns, sample.rows, compression: compression)
        }

        #expect(files[0] == files[1])
    }

    @Test func `a compressed page contains no time`() throws {
        let rows = (0..<100).map { [ParquetValue?.some(.int64($0))] }
        let bytes = try ParquetFile.bytes(
            [ParquetColumn("x", .int64, isRequired: true)], rows, compression: .gzip)

        #expect(bytes.firstRange(of: ParquetFile.hex("1F 8B 08 00 00 00 00 00")) != nil)
    }

    @Test func `full row groups are passed to the sink and released`() throws {
        var limits = ParquetLimits()
        limits.groupRows = 1000
        var writer = try ParquetWriter([ParquetColumn("x", .int64)], limits: limits)
        var sizes: [Int] = []
        for row in 0..<10_500 {
            var piece = 0
            try writer.append([.int64(Int64(row))]) { piece += $0.count }
            if piece > 0 { sizes.append(piece) }
        }

        #expect(sizes.count == 10)
        #expect(sizes.allSatisfy { (8000...8200).contains($0) })
        #expect(writer.rowCount == 10_500)
    }
}
