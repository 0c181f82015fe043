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
