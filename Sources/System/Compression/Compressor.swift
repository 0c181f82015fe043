import CZlib

/// Compresses bytes piece by piece with zlib's deflate.
///
/// The same pieces give the same compressed bytes with the same version of zlib: a gzip header contains no name and no
/// time.
package final class Compressor {
    /// How much of the input so far a call of `add` must write out.
    package enum Flush: Sendable, Hashable {
        /// zlib decides. This compresses best.
        case none
        /// All of it, so that the receiver can decompress everything that was added so far.
        case sync
        /// All of it, and the end of the stream. No further call is allowed.
        case finish

        fileprivate var code: Int32 {
            switch self {
            case .none: Z_NO_FLUSH
            case .sync: Z_SYNC_FLUSH
            case .finish: Z_FINISH
            }
        }
    }

    /// The operating system field of a gzip header (RFC 1952, section 2.3.1).
    package enum OperatingSystem: Int32, Sendable {
        /// The value that zlib writes by itself, which depends on the platform: 3 on Linux.
        case platform = -1
        /// 255, the same everywhere.
        case unknown = 255
    }

    private let stream = ZlibStream()
    /// zlib keeps a pointer to the header until it is written.
    private let header: UnsafeMutablePointer<gz_header>

    /// - Parameters:
    ///   - level: 1 (fast) to 9 (small).
    ///   - system: for gzip only.
    /// - Throws: `CompressionFault.outOfMemory`.
    package init(
        _ format: CompressionFormat, level: Int32 = 6, system: OperatingSystem = .platform
    ) throws(CompressionFault) {
        header = .allocate(capacity: 1)
        header.initialize(to: gz_header())
        // Memory level 8 and strategy 0 are zlib's defaults.
        let status = deflateInit2_(
            stream.state, level, Z_DEFLATED, format.windowBits, 8, 0, ZLIB_VERSION,
            Int32(MemoryLayout<z_stream>.size))
        guard status == Z_OK else { throw .outOfMemory }
        if format == .gzip, system != .platform {
            header.pointee.os = system.rawValue
            guard deflateSetHeader(stream.state, header) == Z_OK else { throw .outOfMemory }
        }
    }

    deinit {
        deflateEnd(stream.state)
        header.deallocate()
    }

    /// Adds bytes. Calls `write` with the compressed bytes that are ready, at most 64 KiB per call.
    /// - Throws: `CompressionFault`, or the error of `write`.
    package func add(_ bytes: [UInt8], flush: Flush, _ write: ([UInt8]) throws -> Void) throws {
        var offset = 0
        while true {
            let step = stream.run(bytes, from: offset) { deflate($0, flush.code) }
            offset += step.consumed
            if !step.output.isEmpty { try write(Array(step.output)) }
            if step.status == Z_STREAM_END { return }
            // Z_BUF_ERROR: there was nothing to do.
            guard step.status == Z_OK || step.status == Z_BUF_ERROR else {
                throw CompressionFault.outOfMemory
            }
            if flush != .finish, offset == bytes.count, step.output.count < ZlibStream.chunkSize { return }
        }
    }

    /// Adds bytes.
    /// - Returns: the compressed bytes that are ready.
    /// - Throws: `CompressionFault.outOfMemory`.
    package func add(_ bytes: [UInt8], flush: Flush) throws -> [UInt8] {
        var output: [UInt8] = []
        try add(bytes, flush: flush) { output += $0 }
        return output
    }

    /// Compresses bytes that are all in memory.
    /// - Throws: `CompressionFault.outOfMemory`.
    package static func compress(
        _ bytes: [UInt8], _ format: CompressionFormat, level: Int32 = 6
    ) throws -> [UInt8] {
        try Compressor(format, level: level).add(bytes, flush: .finish)
    }
}
