import CZlib

/// Compresses to gzip, whole bodies or piece by piece.
final class Deflation {
    /// Bodies up to here are sent as they are: headers and latency cost more than the bytes saved.
    static let least = 1024

    private var stream = z_stream()
    private let isReady: Bool

    init() {
        // Level 6; 15 bits of window, and 16 for a gzip header; memory level 8; strategy 0, the default.
        isReady =
            deflateInit2_(
                &stream, 6, Z_DEFLATED, 15 + 16, 8, 0, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
            == Z_OK
    }

    deinit {
        if isReady { deflateEnd(&stream) }
    }

    static func gzip(_ bytes: [UInt8]) -> [UInt8]? {
        Deflation().add(bytes, isLast: true)
    }

    /// The compressed bytes that are ready after taking in these; with `isLast`, all of them, and with `flushes` all that tell what came so far. Nil
    /// when zlib has no memory.
    func add(_ bytes: [UInt8], isLast: Bool, flushes: Bool = false) -> [UInt8]? {
        guard isReady else { return nil }
        let flush = isLast ? Z_FINISH : flushes ? Z_SYNC_FLUSH : Z_NO_FLUSH
        var input = bytes
        var output: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 32 * 1024)
        let isWell = input.withUnsafeMutableBufferPointer { source in
            stream.next_in = source.baseAddress
            stream.avail_in = UInt32(clamping: source.count)
            while true {
                let (status, made) = chunk.withUnsafeMutableBufferPointer { target in
                    stream.next_out = target.baseAddress
                    stream.avail_out = UInt32(target.count)
                    let status = deflate(&stream, flush)
                    return (status, target.count - Int(stream.avail_out))
                }
                output.append(contentsOf: chunk[..<made])
                if status == Z_STREAM_END { return true }
                guard status == Z_OK || status == Z_BUF_ERROR else { return false }
                if !isLast && stream.avail_in == 0 && made < chunk.count { return true }
            }
        }
        stream.next_in = nil
        stream.next_out = nil
        return isWell ? output : nil
    }
}
