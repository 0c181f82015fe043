import CZlib

/// Decompresses gzip (RFC 1952) into a bounded number of bytes, however small the compressed form of a large body is.
enum Inflation {
    enum Fault: Error, Hashable {
        /// Not gzip, cut short, damaged, or with something behind its end.
        case broken
        /// More bytes than are taken.
        case tooLarge
    }

    static func gunzip(_ compressed: [UInt8], limit: Int) throws(Fault) -> [UInt8] {
        var stream = z_stream()
        // 15 bits of window, and 16 for: a gzip header, nothing else.
        guard inflateInit2_(&stream, 15 + 16, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else {
            throw .broken
        }
        defer { inflateEnd(&stream) }
        var input = compressed
        var output: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 64 * 1024)
        let result: Result<Void, Fault> = input.withUnsafeMutableBufferPointer { source in
            stream.next_in = source.baseAddress
            stream.avail_in = UInt32(clamping: source.count)
            while true {
                let (status, made) = chunk.withUnsafeMutableBufferPointer { target in
                    stream.next_out = target.baseAddress
                    stream.avail_out = UInt32(target.count)
                    let status = inflate(&stream, Z_NO_FLUSH)
                    return (status, target.count - Int(stream.avail_out))
                }
                guard status == Z_OK || status == Z_STREAM_END else { return .failure(.broken) }
                guard output.count + made <= limit else { return .failure(.tooLarge) }
                output.append(contentsOf: chunk[..<made])
                if status == Z_STREAM_END { return stream.avail_in == 0 ? .success(()) : .failure(.broken) }
                if made == 0 && stream.avail_in == 0 { return .failure(.broken) }
            }
        }
        try result.get()
        return output
    }
}
