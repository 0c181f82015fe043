import CZlib

/// Decompresses bytes piece by piece with zlib's inflate. A gzip stream may have several members (RFC 1952, section
/// 2.2); their contents are joined.
///
/// Few compressed bytes can become very many. The caller limits them: it throws from `receive`, which gets at most 64
/// KiB at once.
package final class Decompressor {
    private let format: CompressionFormat
    private let stream = ZlibStream()
    /// Whether the last byte that was read ended the stream, or a member of a gzip stream. If it is false when the
    /// input ends, the input is incomplete.
    package private(set) var isAtEnd = false

    /// - Throws: `CompressionFault.outOfMemory`.
    package init(_ format: CompressionFormat) throws(CompressionFault) {
        self.format = format
        let status = inflateInit2_(
            stream.state, format.windowBits, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        guard status == Z_OK else { throw .outOfMemory }
    }

    deinit {
        inflateEnd(stream.state)
    }

    /// Adds compressed bytes, and passes the decompressed bytes to `receive`, at most 64 KiB per call.
    /// - Throws: `CompressionFault.damaged`, or the error of `receive`.
    package func add(_ compressed: [UInt8], _ receive: ([UInt8]) throws -> Void) throws {
        guard !compressed.isEmpty else { return }
        var offset = 0
        while offset < compressed.count || !isAtEnd {
            if isAtEnd { try beginMember(compressed[offset]) }
            let step = stream.run(compressed, from: offset) { inflate($0, Z_NO_FLUSH) }
            guard
                step.status == Z_OK || step.status == Z_STREAM_END
                    || (step.status == Z_BUF_ERROR && step.output.isEmpty)
            else { throw CompressionFault.damaged }
            offset += step.consumed
            if !step.output.isEmpty { try receive(Array(step.output)) }
            if step.status == Z_STREAM_END {
                isAtEnd = true
                continue
            }
            if offset == compressed.count && step.output.count < ZlibStream.chunkSize { return }
            if step.consumed == 0 && step.output.isEmpty { return }
        }
    }

    /// Prepares for the next gzip member. zlib checks a header only when it has two bytes. Therefore this function
    /// checks the first byte. Otherwise a single wrong byte at the end would be accepted.
    private func beginMember(_ firstByte: UInt8) throws(CompressionFault) {
        guard format == .gzip, firstByte == 0x1F, inflateReset(stream.state) == Z_OK else { throw .damaged }
        isAtEnd = false
    }

    /// Decompresses bytes that are all in memory.
    /// - Parameter limit: the maximum number of decompressed bytes.
    /// - Throws: `CompressionFault`: `tooLarge` above the limit.
    package static func decompress(
        _ compressed: [UInt8], _ format: CompressionFormat, limit: Int
    ) throws -> [UInt8] {
        let decompressor = try Decompressor(format)
        var output: [UInt8] = []
        try decompressor.add(compressed) { piece in
            guard output.count + piece.count <= limit else { throw CompressionFault.tooLarge }
            output += piece
        }
        guard decompressor.isAtEnd else { throw CompressionFault.damaged }
        return output
    }
}
