import Crypto
import Foundation
import SaunterCore
import SaunterEvaluation
import Synchronization

/// Compresses a finished folder into a zip file. It does so outside the threads that serve requests, because it keeps a
/// core busy for a long time.
enum ExportZip {
    private static let chunkSize = 1 << 20

    /// Writes the zip file.
    /// - Returns: its length in bytes and its SHA-256 in hexadecimal.
    /// - Throws: `DatasetFault.zip`, errors of the file system, or `CancellationError`; then no zip file exists.
    static func make(_ folder: URL, as name: String, at target: URL) async throws -> (
        bytes: Int, sha256: String
    ) {
        let stop = Cancellation()
        return try await withTaskCancellationHandler {
            try await runOnDispatchQueue {
                try ZipArchive.write(
                    folder.path(percentEncoded: false), as: name, to: target.path(percentEncoded: false)
                ) { stop.isRequested }
                return try digest(of: target)
            }
        } onCancel: {
            stop.request()
        }
    }

    private final class Cancellation: Sendable {
        private let flag = Atomic(false)
        var isRequested: Bool { flag.load(ordering: .relaxed) }
        func request() { flag.store(true, ordering: .relaxed) }
    }

    /// Reads the file once, chunk by chunk.
    private static func digest(of url: URL) throws -> (bytes: Int, sha256: String) {
        let file = try FileHandle(forReadingFrom: url)
        defer { try? file.close() }  // Closing a file that was only read loses no data.
        var hash = SHA256()
        var bytes = 0
        while let chunk = try file.read(upToCount: chunkSize), !chunk.isEmpty {
            hash.update(data: chunk)
            bytes += chunk.count
        }
        return (bytes, Hex.encode(hash.finalize()))
    }

    private static func runOnDispatchQueue<Value: Sendable>(
        _ work: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global(qos: .utility).async { continuation.resume(with: Result { try work() }) }
        }
    }
}
