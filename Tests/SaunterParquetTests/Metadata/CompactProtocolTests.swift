import Testing

@testable import SaunterParquet

@Suite struct CompactProtocolTests {
    @Test func `fields are stored as differences of their numbers, integers as zigzag`() {
        var writer = CompactProtocol()
        writer.element { top in
            top.field(1, Int32(5))
            top.field(3, Int64(-1))
            top.field(4, "ab")
            top.field(5, false)
            top.structure(6) { inner in
                inner.field(1, true)
            }
            top.field(40, Int32(64))
            top.list(41, of: .int32, count: 2)
            top.element(Int32(1))
            top.element(Int32(-2))
        }

        #expect(
            writer.bytes
                == ParquetFile.hex(
                    """
                    15 0A  26 01  18 02 61 62  12  1C 11 00
                    05 50 80 01
                    19 25 02 03
                    00
                    """))
    }

    @Test func `a difference above fifteen is stored as the number itself`() {
        var writer = CompactProtocol()
        writer.field(15, false)
        writer.field(31, true)
        writer.field(32, true)

        #expect(writer.bytes == ParquetFile.hex("F2  01 3E  11"))
    }

    @Test func `a list of fifteen has its count after the type`() {
        var writer = CompactProtocol()
        writer.list(1, of: .structure, count: 14)
        writer.list(2, of: .structure, count: 15)
        writer.list(3, of: .binary, count: 300)

        #expect(writer.bytes == ParquetFile.hex("19 EC  19 FC 0F  19 F8 AC 02"))
    }

    @Test(arguments: [
        (Int64.min, "FF FF FF FF FF FF FF FF FF 01"), (.max, "FE FF FF FF FF FF FF FF FF 01"), (0, "00"),
        (-1, "01"), (63, "7E"), (-64, "7F"), (64, "80 01"),
    ])
    func `the smallest and largest integers fit`(value: Int64, hex: String) {
        var writer = CompactProtocol()
        writer.field(1, value)

        #expect(writer.bytes == [0x16] + ParquetFile.hex(hex))
    }
}
