import Compression

/// The format of a backup file: `magic`, the salt, then each part as its length (4 bytes, big-endian) and its sealed
/// bytes. Each part is compressed separately with zlib before it is sealed.
enum BackupFormat {
    static let magic = Array("saunter backup 1\n".utf8)
    /// More than the size of any part, compressed or not. A larger length means that the file is damaged.
    static let maximumBytes = BackupRecord.maximumBytes + (1 << 16)

    /// Compresses the bytes of one part.
    static func compressed(_ bytes: [UInt8]) throws(BackupFault) -> [UInt8] {
        do {
            // Level 3 is twice as fast as the default, and the output of COPY becomes nearly as small.
            return try Compressor.compress(bytes, .zlib, level: 3)
        } catch {
            throw .file(path: "zlib", reason: "cannot compress")
        }
    }

    /// Nil if the bytes are not the output of `compressed`, or if the result is longer than any part.
    static func decompressed(_ bytes: [UInt8]) -> [UInt8]? {
        try? Decompressor.decompress(bytes, .zlib, limit: maximumBytes)
    }

    /// The length of a part as 4 bytes, big-endian.
    static func length(_ count: Int) -> [UInt8] {
        withUnsafeBytes(of: UInt32(clamping: count).bigEndian) { Array($0) }
    }
}
