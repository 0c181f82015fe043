import CZlib

/// The containers of compressed bytes that this module reads and writes.
package enum CompressionFormat: Sendable, Hashable {
    /// RFC 1952: one member or several, each with a header and a CRC-32.
    case gzip
    /// RFC 1950: a two-byte header and an Adler-32 checksum.
    case zlib

    /// The `windowBits` parameter of zlib: a window of 2^15 bytes, plus 16 for the gzip format.
    var windowBits: Int32 {
        switch self {
        case .gzip: 15 + 16
        case .zlib: 15
        }
    }
}

/// Why bytes could not be compressed or decompressed.
package enum CompressionFault: Error, Sendable, Hashable {
    /// zlib could not allocate its state.
    case outOfMemory
    /// The compressed bytes are incomplete, damaged or not in the expected format, or other bytes follow them.
    case damaged
    /// The decompressed bytes exceed the limit.
    case tooLarge
}

/// The CRC-32 checksum that gzip, zip and Parquet use (ISO 3309).
package enum CRC32 {
    /// The checksum of these bytes.
    package static func checksum(of bytes: [UInt8]) -> UInt32 {
        bytes.withUnsafeBufferPointer { UInt32(truncatingIfNeeded: crc32_z(0, $0.baseAddress, $0.count)) }
    }
}

/// A `z_stream` at a fixed address. zlib keeps a pointer to it and rejects a copy at another address.
final class ZlibStream {
    /// Bytes of the output buffer: 64 KiB.
    static let chunkSize = 1 << 16

    let state: UnsafeMutablePointer<z_stream>
    private var chunk = [UInt8](repeating: 0, count: chunkSize)

    init() {
        state = .allocate(capacity: 1)
        state.initialize(to: z_stream())
    }

    deinit {
        state.deallocate()
    }

    /// Calls zlib once, with the input from `offset` on and an empty output buffer.
    /// - Parameter call: `deflate` or `inflate`.
    /// - Returns: zlib's status, the number of consumed input bytes, and the output, at most `chunkSize` bytes.
    func run(
        _ input: [UInt8], from offset: Int, _ call: (UnsafeMutablePointer<z_stream>) -> Int32
    ) -> (status: Int32, consumed: Int, output: ArraySlice<UInt8>) {
        let (status, consumed, count) = input.withUnsafeBufferPointer { source in
            chunk.withUnsafeMutableBufferPointer { target in
                // zlib declares its input as mutable, but does not write to it.
                state.pointee.next_in = source.baseAddress.map { UnsafeMutablePointer(mutating: $0 + offset) }
                state.pointee.avail_in = UInt32(clamping: source.count - offset)
                state.pointee.next_out = target.baseAddress
                state.pointee.avail_out = UInt32(target.count)
                let available = state.pointee.avail_in
                let status = call(state)
                state.pointee.next_in = nil
                state.pointee.next_out = nil
                return (
                    status, Int(available - state.pointee.avail_in),
                    target.count - Int(state.pointee.avail_out)
                )
            }
        }
        return (status, consumed, chunk[..<count])
    }
}
