/// Writes one data page or dictionary page: its header, then its compressed bytes. The numbers of page types and header
/// fields are those of `PageHeader` in `parquet.thrift`.
enum PageWriter {
    /// `Encoding` of the Parquet format, with its numbers.
    enum Encoding: Int32, Sendable, Hashable {
        case plain = 0
        case runLength = 3
        case dictionary = 8
    }

    /// The sizes of pages with their headers, in bytes: as written, and before compression.
    struct Sizes {
        var compressed: Int64 = 0
        var uncompressed: Int64 = 0

        static func += (left: inout Sizes, right: Sizes) {
            left.compressed += right.compressed
            left.uncompressed += right.uncompressed
        }
    }

    /// Appends a data page (type 0) in version 1 of the page format, which all readers support.
    static func append(
        _ body: [UInt8], rows: Int, _ encoding: Encoding, _ codec: PageCodec, to bytes: inout [UInt8]
    ) throws(ParquetFault) -> Sizes {
        let count = try ParquetFault.checked(rows, "the number of rows of a page")
        return try append(body, type: 0, codec, to: &bytes) { header in
            header.structure(5) { data in
                data.field(1, count)
                data.field(2, encoding.rawValue)
                data.field(3, Encoding.runLength.rawValue)
                data.field(4, Encoding.runLength.rawValue)
            }
        }
    }

    /// Appends a dictionary page (type 2).
    static func append(
        _ dictionary: ValueDictionary, _ codec: PageCodec, to bytes: inout [UInt8]
    ) throws(ParquetFault) -> Sizes {
        let count = try ParquetFault.checked(dictionary.count, "the number of entries of a dictionary")
        return try append(dictionary.plain, type: 2, codec, to: &bytes) { header in
            header.structure(7) { page in
                page.field(1, count)
                page.field(2, Encoding.plain.rawValue)
            }
        }
    }

    private static func append(
        _ body: [UInt8], type: Int32, _ codec: PageCodec, to bytes: inout [UInt8],
        _ writeDetails: (inout CompactProtocol) -> Void
    ) throws(ParquetFault) -> Sizes {
        let compressedBody = try codec.compress(body)
        let size = try ParquetFault.checked(body.count, "the size of a page in bytes")
        let compressedSize = try ParquetFault.checked(
            compressedBody.count, "the compressed size of a page in bytes")
        var header = CompactProtocol()
        header.element { page in
            page.field(1, type)
            page.field(2, size)
            page.field(3, compressedSize)
            page.field(4, PageCodec.checksum(compressedBody))
            writeDetails(&page)
        }
        bytes += header.bytes
        bytes += compressedBody
        return Sizes(
            compressed: Int64(header.bytes.count + compressedBody.count),
            uncompressed: Int64(header.bytes.count + body.count))
    }
}
