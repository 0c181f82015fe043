import Foundation
import NIOCore

/// The open file of a finished dataset. It stays readable to the end, even if the file is deleted in the meantime.
struct ExportFile: Sendable {
    private static let chunkSize = 256 * 1024

    private let file: FileHandle

    /// Nil if the file does not exist or does not have the expected length in bytes.
    init?(_ path: String, length: Int) {
        guard let file = FileHandle(forReadingAtPath: path), (try? file.seekToEnd()) == UInt64(length) else {
            return nil
        }
        self.file = file
    }

    /// Passes the bytes of the range to `body` in chunks of at most 256 KiB, and closes the file.
    /// - Throws: errors of the file system and of `body`, or `Problem` if the file is shorter than expected. The
    ///   response is then incomplete, and the client sees that the connection closes early.
    func forEachChunk(of range: Range<Int>, _ body: (ByteBuffer) async throws -> Void) async throws {
        defer { try? file.close() }  // Closing a file that was only read loses no data.
        try file.seek(toOffset: UInt64(range.lowerBound))
        var rest = range.count
        while rest > 0 {
            guard let chunk = try file.read(upToCount: min(rest, Self.chunkSize)), !chunk.isEmpty else {
                throw Problem(.internalError)
            }
            rest -= chunk.count
            try await body(ByteBuffer(bytes: chunk))
        }
    }
}
