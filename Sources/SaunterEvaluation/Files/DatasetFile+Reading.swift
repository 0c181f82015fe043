import Crypto
import Foundation

extension DatasetFile {
    /// A file that is there already, read once, piece by piece, and put on disk.
    init(reading url: URL, as path: String) throws {
        let handle = try FileHandle(forUpdating: url)
        var hash = SHA256()
        var bytes = 0
        while let piece = try handle.read(upToCount: 1 << 18), !piece.isEmpty {
            hash.update(data: piece)
            bytes += piece.count
        }
        try handle.synchronize()
        try handle.close()
        let digest = hash.finalize().map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        self.init(path: path, rows: nil, bytes: bytes, sha256: digest)
    }
}
