import Foundation
import NIOCore
import SaunterCore
import SaunterEvaluation
import SaunterStore

/// Reads studies for clients of other systems. What may be long is written to a file first and sent from there: a slow client holds no
/// connection to the database, and gets all of it or an error.
struct ReadingDesk: Sendable {
    /// Of one reply.
    private static let maximumBytes = 1 << 30
    /// Replies under way at once.
    private static let most = 8

    let store: Store
    let reading: DatasetReading
    private let directory: URL
    private let admission = Admission(maximumRequests: Self.most, maximumBytes: .max)

    /// Removes what a process before this one left.
    init(store: Store, dataDirectory: String) throws {
        self.store = store
        reading = DatasetReading(pool: store.readers)
        directory = URL(filePath: dataDirectory, directoryHint: .isDirectory)
            .appending(path: "readings", directoryHint: .isDirectory)
        let path = directory.path(percentEncoded: false)
        if FileManager.default.fileExists(atPath: path) { try FileManager.default.removeItem(at: directory) }
    }

    /// Notes that somebody read records of a study.
    /// - Parameter detail: which, in codes and numbers.
    func note(_ call: Call<Identity>, _ study: String, api: String, _ detail: JSONObject) async throws {
        var entry: JSONObject = ["api": .string(api)]
        if let token = call.caller.apiToken { entry["token_id"] = .id(token) }
        for member in detail { entry[member.name] = member.value }
        try await store.record(
            AuditEntry(
                actor: .account(call.caller.account), action: "data_read", study: study,
                requestID: call.requestID, detail: .object(entry)), at: call.now)
    }

    /// What the caller may be told in this study: `coded`, or all that a second permission allows.
    static func profile(_ caller: Identity, _ study: String) -> DatasetProfile {
        let isFull = caller.grants.contains {
            $0.study == study && $0.role != .admin && $0.fullExport
        }
        return isFull ? .full : .coded
    }

    /// Does the work, which writes a reply piece by piece into a file and may keep others in a folder meanwhile.
    func spool<Value>(
        _ work: (_ folder: URL, _ sink: @escaping ([UInt8]) throws -> Void) async throws -> Value
    ) async throws -> (file: SpooledFile, value: Value) {
        try await admission.hold(bytes: 0, for: nil) {
            let folder = directory.appending(path: UUID().uuidString, directoryHint: .isDirectory)
            try FileManager.default.createDirectory(
                at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            let file = SpooledFile(folder: folder)
            try Data().write(to: file.url, options: .withoutOverwriting)
            let handle = try FileHandle(forWritingTo: file.url)
            defer { try? handle.close() }  // Nothing here has to outlive the process.
            var bytes = 0
            let value = try await work(folder) { piece in
                bytes += piece.count
                guard bytes <= Self.maximumBytes else {
                    throw Problem(
                        .requestInvalid, "This is more than 1 GiB: ask for fewer records or fields.")
                }
                try handle.write(contentsOf: piece)
            }
            return (file, value)
        }
    }
}

/// A reply that waits in a file to be sent; its folder goes when nobody holds it any more.
final class SpooledFile: Sendable {
    private let folder: URL
    let url: URL

    init(folder: URL) {
        self.folder = folder
        url = folder.appending(path: "reply")
    }

    deinit {
        // Should it stay, the next start removes it.
        try? FileManager.default.removeItem(at: folder)
    }

    /// The whole file as a reply.
    func reply(contentType: String) throws -> Reply {
        let handle = try FileHandle(forReadingFrom: url)
        defer { try? handle.close() }  // A file that was only read has nothing to lose.
        let length = Int(try handle.seekToEnd())
        return .stream(contentType: contentType, length: length) { writer in
            let file = try FileHandle(forReadingFrom: self.url)
            defer { try? file.close() }
            while let piece = try file.read(upToCount: 256 * 1024), !piece.isEmpty {
                try await writer.write(ByteBuffer(bytes: piece))
            }
        }
    }
}
