import CZlib

/// How pages are compressed.
package enum ParquetCompression: Sendable, Hashable {
    /// The bytes follow from the rows alone.
    case none
    /// The bytes follow from the rows and from the version of zlib.
    case gzip
}

/// `CompressionCodec` of the format, with its numbers, and what it does.
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
            guard let packed = Self.gzip(bytes) else { throw .notCompressed }
            return packed
        }
    }

    /// The checksum of a page, over its bytes as they stand in the file.
    static func checksum(_ bytes: [UInt8]) -> Int32 {
        bytes.withUnsafeBufferPointer { Int32(bitPattern: UInt32(crc32_z(0, $0.baseAddress, $0.count))) }
    }

    private static func gzip(_ bytes: [UInt8]) -> [UInt8]? {
        var stream = z_stream()
        // Level 6; 15 bits of window, and 16 for a gzip header, which holds no time; memory level 8.
        let status = deflateInit2_(
            &stream, 6, Z_DEFLATED, 15 + 16, 8, 0, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        guard status == Z_OK else { return nil }
        defer { deflateEnd(&stream) }
        guard let length = UInt32(exactly: bytes.count),
            let room = UInt32(exactly: deflateBound(&stream, UInt(length)))
        else { return nil }
        var input = bytes
        var output = [UInt8](repeating: 0, count: Int(room))
        let isDone = input.withUnsafeMutableBufferPointer { source in
            output.withUnsafeMutableBufferPointer { target in
                stream.next_in = source.baseAddress
                stream.avail_in = length
                stream.next_out = target.baseAddress
                stream.avail_out = room
                return deflate(&stream, Z_FINISH) == Z_STREAM_END
            }
        }
        guard isDone else { return nil }
        output.removeLast(Int(stream.avail_out))
        return output
    }
}
