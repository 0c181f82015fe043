import Foundation
import NIOCore
import SaunterServer

/// A reply in a file. The file and its folder are removed when the last reference to this object is released.
final class SpooledFile: Sendable {
    private static let chunkBytes = 256 * 1024

    let url: URL
    private let folder: URL

    /// - Parameter folder: an existing folder that belongs to this reply alone.
    init(folder: URL) {
        self.folder = folder
        url = folder.appending(path: "reply")
    }

    deinit {
        // If the folder cannot be removed now, the next start of the server removes it.
        try? FileManager.default.removeItem(at: folder)
    }

    /// A reply that sends the file from its beginning to its end.
    func reply(contentType: String) throws -> Reply {
        let handle = try FileHandle(forReadingFrom: url)
        defer { try? handle.close() }  // An error while closing a file that was only read has no effect.
        let length = Int(try handle.seekToEnd())
        return .stream(contentType: contentType, length: length) { writer in
            let file = try FileHandle(forReadingFrom: self.url)
            defer { try? file.close() }
            while let piece = try file.read(upToCount: Self.chunkBytes), !piece.isEmpty {
                try await writer.write(ByteBuffer(bytes: piece))
            }
        }
    }
}
