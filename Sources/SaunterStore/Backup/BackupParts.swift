import CZlib

/// The layout of a backup's file: `magic`, the salt, then each part as its length (4 bytes, big-endian) and its sealed bytes; what is sealed is
/// compressed by zlib, each part by itself.
enum BackupParts {
    static let magic = Array("saunter backup 1\n".utf8)
    /// More than any part has, compressed or not; what claims to be longer is no backup.
    static let mostBytes = BackupRecord.mostBytes + (1 << 16)

    static func compressed(_ bytes: [UInt8]) throws(BackupFault) -> [UInt8] {
        var length = compressBound(UInt(bytes.count))
        var output = [UInt8](repeating: 0, count: Int(length))
        // Level 3: nearly as small as the default for what COPY writes, in half the time.
        guard compress2(&output, &length, bytes, UInt(bytes.count), 3) == Z_OK else {
            throw .file(path: "zlib", reason: "does not compress")
        }
        output.removeLast(output.count - Int(length))
        return output
    }

    /// Nil when it is not what `compressed` made, or longer than any part.
    static func decompressed(_ bytes: [UInt8]) -> [UInt8]? {
        var length = UInt(mostBytes)
        var output = [UInt8](repeating: 0, count: mostBytes)
        guard uncompress(&output, &length, bytes, UInt(bytes.count)) == Z_OK else { return nil }
        output.removeLast(output.count - Int(length))
        return output
    }

    static func length(_ count: Int) -> [UInt8] {
        withUnsafeBytes(of: UInt32(clamping: count).bigEndian) { Array($0) }
    }
}
