import CZlib

/// A gzip file under way, of a CSV text as it passes. Its bytes depend on the text and on zlib alone: there is no name, no time and no system in it
/// (RFC 1952).
struct GzipFile {
    private let stream = GzipStream()
    private var file: OutputFile
    private var count = RowCount()

    init(into file: OutputFile) {
        self.file = file
    }

    /// Rows below the header so far.
    var rows: Int { max(0, count.records - 1) }

    mutating func write(_ piece: [UInt8]) throws {
        count.take(piece)
        try stream.add(piece, isLast: false) { try file.write($0) }
    }

    /// Puts the file on disk.
    mutating func close() throws -> DatasetFile {
        try stream.add([], isLast: true) { try file.write($0) }
        return try file.close(rows: rows)
    }
}

/// zlib's state, which must stay where it is in memory.
private final class GzipStream {
    private static let pieceSize = 1 << 16
    /// RFC 1952: 255 is "unknown".
    private static let unknownSystem: Int32 = 255

    private let stream: UnsafeMutablePointer<z_stream>
    private let header: UnsafeMutablePointer<gz_header>
    private let isReady: Bool

    init() {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        header = .allocate(capacity: 1)
        header.initialize(to: gz_header())
        header.pointee.os = Self.unknownSystem
        // Level 6; 15 bits of window, and 16 for a gzip header; memory level 8; strategy 0, the default.
        isReady =
            deflateInit2_(
                stream, 6, Z_DEFLATED, 15 + 16, 8, 0, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
            == Z_OK && deflateSetHeader(stream, header) == Z_OK
    }

    deinit {
        deflateEnd(stream)
        header.deallocate()
        stream.deallocate()
    }

    /// - Parameter write: takes what is ready.
    func add(_ piece: [UInt8], isLast: Bool, _ write: ([UInt8]) throws -> Void) throws {
        guard isReady else { throw DatasetFault.zip("no memory") }
        var input = piece
        var output = [UInt8](repeating: 0, count: Self.pieceSize)
        try input.withUnsafeMutableBufferPointer { source in
            stream.pointee.next_in = source.baseAddress
            stream.pointee.avail_in = UInt32(source.count)
            var isDone = false
            while !isDone {
                let (status, made) = output.withUnsafeMutableBufferPointer { target in
                    stream.pointee.next_out = target.baseAddress
                    stream.pointee.avail_out = UInt32(target.count)
                    let status = deflate(stream, isLast ? Z_FINISH : Z_NO_FLUSH)
                    return (status, target.count - Int(stream.pointee.avail_out))
                }
                guard [Z_OK, Z_STREAM_END, Z_BUF_ERROR].contains(status) else {
                    throw DatasetFault.zip("zlib: \(status)")
                }
                if made > 0 { try write(Array(output[..<made])) }
                isDone = isLast ? status == Z_STREAM_END : made < Self.pieceSize
            }
        }
    }
}
