import CZlib

/// Decompresses gzip (RFC 1952), of one member or several, into a bounded number of bytes, however small the compressed form of a large body is.
enum Inflation {
    enum Fault: Error, Hashable {
        /// Not gzip, cut short, damaged, or with something behind its end that is no further member.
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
                if status == Z_STREAM_END {
                    if stream.avail_in == 0 { return .success(()) }
                    // Whatever follows is another member, or its header is refused.
                    guard inflateReset(&stream) == Z_OK else { return .failure(.broken) }
                    continue
                }
                if made == 0 && stream.avail_in == 0 { return .failure(.broken) }
            }
        }
        try result.get()
        return output
    }
}

/// Decompresses gzip of one member or several piece by piece; whoever takes the pieces bounds how much it is.
final class Inflater {
    private var stream = z_stream()
    private var chunk = [UInt8](repeating: 0, count: 64 * 1024)
    /// The end of a member has come, and nothing behind it.
    private(set) var isWhole = false

    init() throws(Problem) {
        guard inflateInit2_(&stream, 15 + 16, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else {
            throw Problem(.busy, "There is no room to decompress the body.", retryAfter: 1)
        }
    }

    deinit {
        inflateEnd(&stream)
    }

    /// - Parameter take: sees the decompressed bytes, at most 64 KiB at once; what it throws ends the work.
    func add(_ compressed: [UInt8], _ take: ([UInt8]) throws(Problem) -> Void) throws(Problem) {
        guard !compressed.isEmpty else { return }
        var (input, from) = (compressed, 0)
        while from < input.count || !isWhole {
            if isWhole { try begin(with: input[from]) }
            let (status, used, made) = step(&input, from)
            guard status == Z_OK || status == Z_STREAM_END || (status == Z_BUF_ERROR && made == 0) else {
                throw Problem(.bodyUnreadable, "The body is not whole gzip.")
            }
            from += used
            if made > 0 { try take(Array(chunk[..<made])) }
            if status == Z_STREAM_END {
                isWhole = true
                continue
            }
            if from == input.count && made < chunk.count { return }
            if used == 0 && made == 0 { return }
        }
    }

    /// Another member. Its header is looked at as soon as zlib has two bytes of it; the first is judged here, so that no single byte passes.
    private func begin(with byte: UInt8) throws(Problem) {
        guard byte == 0x1F, inflateReset(&stream) == Z_OK else {
            throw Problem(.bodyUnreadable, "Something follows the gzip.")
        }
        isWhole = false
    }

    private func step(_ input: inout [UInt8], _ from: Int) -> (status: Int32, used: Int, made: Int) {
        input.withUnsafeMutableBufferPointer { source in
            chunk.withUnsafeMutableBufferPointer { target in
                stream.next_in = source.baseAddress.map { $0 + from }
                stream.avail_in = UInt32(clamping: source.count - from)
                stream.next_out = target.baseAddress
                stream.avail_out = UInt32(target.count)
                let given = stream.avail_in
                let status = inflate(&stream, Z_NO_FLUSH)
                defer {
                    stream.next_in = nil
                    stream.next_out = nil
                }
                return (status, Int(given - stream.avail_in), target.count - Int(stream.avail_out))
            }
        }
    }
}
