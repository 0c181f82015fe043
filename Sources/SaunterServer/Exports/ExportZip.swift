import Crypto
import Foundation
import SaunterEvaluation
import Synchronization

/// A zip of a finished folder, made off the threads that serve requests: it keeps a core busy for long.
enum ExportZip {
    private static let pieceSize = 1 << 20

    /// - Throws: `DatasetFault.zip`, what the file system says, or `CancellationError`; then there is no zip.
    static func make(_ folder: URL, as name: String, at target: URL) async throws -> (
        bytes: Int, sha256: String
    ) {
        let stop = Stop()
        return try await withTaskCancellationHandler {
            try await aside {
                try ZipArchive.write(
                    folder.path(percentEncoded: false), as: name, to: target.path(percentEncoded: false)
                ) { stop.isWanted }
                return try digest(of: target)
            }
        } onCancel: {
            stop.want()
        }
    }

    private final class Stop: Sendable {
        private let flag = Atomic(false)
        var isWanted: Bool { flag.load(ordering: .relaxed) }
        func want() { flag.store(true, ordering: .relaxed) }
    }

    /// Reads the file once, piece by piece.
    private static func digest(of url: URL) throws -> (bytes: Int, sha256: String) {
        let file = try FileHandle(forReadingFrom: url)
        defer { try? file.close() }  // A file that was only read has nothing to lose.
        var hash = SHA256()
        var bytes = 0
        while let piece = try file.read(upToCount: pieceSize), !piece.isEmpty {
            hash.update(data: piece)
            bytes += piece.count
        }
        return (bytes, hash.finalize().map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined())
    }

    private static func aside<Value: Sendable>(
        _ work: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global(qos: .utility).async { continuation.resume(with: Result { try work() }) }
        }
    }
}
