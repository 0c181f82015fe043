/// One page: its header, then its bytes, compressed.
enum DataPage {
    /// `Encoding` of the format, with its numbers.
    enum Encoding: Int32, Sendable, Hashable {
        case plain = 0
        case runLength = 3
        case dictionary = 8
    }

    /// How long a page is with its header, and how long it would be uncompressed.
    struct Extent {
        var written: Int64 = 0
        var uncompressed: Int64 = 0

        static func += (left: inout Extent, right: Extent) {
            left.written += right.written
            left.uncompressed += right.uncompressed
        }
    }

    /// A page of values in version 1 of the format, which every reader knows.
    static func append(
        _ body: [UInt8], rows: Int, _ encoding: Encoding, _ codec: PageCodec, to bytes: inout [UInt8]
    ) throws(ParquetFault) -> Extent {
        let count = try ParquetFault.size(rows, of: "a page")
        return try append(body, kind: 0, codec, to: &bytes) { header in
            header.structure(5) { data in
                data.field(1, count)
                data.field(2, encoding.rawValue)
                data.field(3, Encoding.runLength.rawValue)
                data.field(4, Encoding.runLength.rawValue)
            }
        }
    }

    static func append(
        _ dictionary: ValueDictionary, _ codec: PageCodec, to bytes: inout [UInt8]
    ) throws(ParquetFault) -> Extent {
        let count = try ParquetFault.size(dictionary.count, of: "a dictionary")
        return try append(dictionary.plain, kind: 2, codec, to: &bytes) { header in
            header.structure(7) { page in
                page.field(1, count)
                page.field(2, Encoding.plain.rawValue)
            }
        }
    }

    private static func append(
        _ body: [UInt8], kind: Int32, _ codec: PageCodec, to bytes: inout [UInt8],
        _ particulars: (inout CompactProtocol) -> Void
    ) throws(ParquetFault) -> Extent {
        let packed = try codec.compress(body)
        let size = try ParquetFault.size(body.count, of: "a page")
        let packedSize = try ParquetFault.size(packed.count, of: "a page")
        var header = CompactProtocol()
        header.element { page in
            page.field(1, kind)
            page.field(2, size)
            page.field(3, packedSize)
            page.field(4, PageCodec.checksum(packed))
            particulars(&page)
        }
        bytes += header.bytes
        bytes += packed
        return Extent(
            written: Int64(header.bytes.count + packed.count),
            uncompressed: Int64(header.bytes.count + body.count))
    }
}
