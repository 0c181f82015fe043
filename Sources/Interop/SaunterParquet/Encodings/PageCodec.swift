import Compression

/// How pages are compressed.
package enum ParquetCompression: Sendable, Hashable {
    /// The bytes of the file depend only on the rows.
    case none
    /// The bytes of the file depend on the rows and on the version of zlib.
    case gzip
}

/// `CompressionCodec` of the Parquet format, with its numbers and implementations.
enum PageCodec: Int32 {
    case uncompressed = 0
    case gzip = 2

    init(_ compression: ParquetCompression) {
        switch compression {
        case .none: self = .uncompressed
        case .gzip: self = .gzip
        }
    }

    func compress(_ bytes: [UInt8]) throws(ParquetFault) -> [UInt8] {
        switch self {
        case .uncompressed: return bytes
        case .gzip:
            // The gzip header contains no time, so that equal rows give equal files.
            guard let packed = try? Compressor.compress(bytes, .gzip) else { throw .notCompressed }
            return packed
        }
    }

    /// The CRC-32 of the stored bytes of a page.
    static func checksum(_ bytes: [UInt8]) -> Int32 { Int32(bitPattern: CRC32.checksum(of: bytes)) }
}
