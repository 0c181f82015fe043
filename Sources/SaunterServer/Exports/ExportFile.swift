import Foundation
import NIOCore

/// A finished dataset, open to be sent. It stays whole for whoever reads it, even when it is taken away meanwhile.
struct ExportFile: Sendable {
    private static let pieceSize = 256 * 1024

    private let file: FileHandle

    /// Nil when it is not there, or is not of the length that it was made with.
    init?(_ path: String, length: Int) {
        guard let file = FileHandle(forReadingAtPath: path), (try? file.seekToEnd()) == UInt64(length) else {
            return nil
        }
        self.file = file
    }

    /// - Throws: what the file system or the reader of the pieces says, or `Problem` when the file is shorter than it was;
    ///   what was sent is then not whole, and its reader is told by the connection's end.
    func forEachPiece(of range: Range<Int>, _ body: (ByteBuffer) async throws -> Void) async throws {
        defer { try? file.close() }  // A file that was only read has nothing to lose.
        try file.seek(toOffset: UInt64(range.lowerBound))
        var rest = range.count
        while rest > 0 {
            guard let piece = try file.read(upToCount: min(rest, Self.pieceSize)), !piece.isEmpty else {
                throw Problem(.internalError)
            }
            rest -= piece.count
            try await body(ByteBuffer(bytes: piece))
        }
    }
}
