import Crypto
import Foundation
import SaunterCore

/// One file of a dataset.
package struct DatasetFile: Sendable, Hashable {
    /// The path relative to the folder of the dataset, separated by `/`.
    package let path: String
    /// The number of rows without the header. Nil if the file is not a table.
    package let rows: Int?
    /// The size in bytes.
    package let bytes: Int
    /// Lower-case hexadecimal.
    package let sha256: String
}

extension DatasetFile {
    /// Reads an existing file to compute its digest, and flushes it to disk.
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
        let digest = Hex.encode(hash.finalize())
        self.init(path: path, rows: nil, bytes: bytes, sha256: digest)
    }
}
