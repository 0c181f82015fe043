import Foundation
import SaunterCore
import SaunterEvaluation
import SaunterServer
import SaunterStore

/// Reads studies for clients of other systems. A reply that may be long is written to a file first and sent from that
/// file. Therefore a slow client holds no connection to the database, and every client receives either the complete
/// reply or an error.
struct ReaderService: Sendable {
    /// The maximum size of one spooled reply: 1 GiB.
    private static let maximumBytes = 1 << 30
    /// The maximum number of replies that are written to files at the same time.
    private static let maximumReplies = 8

    private let reader: DatasetReader
    let configuration: ServerConfiguration
    private let context: ServerContext
    private let directory: URL
    private let loadShedder = LoadShedder(maximumRequests: Self.maximumReplies, maximumBytes: .max)

    /// Removes the files that an earlier process left in the spool directory.
    init(context: ServerContext) throws {
        self.context = context
        configuration = context.configuration
        reader = DatasetReader(pool: context.store.readers)
        directory = URL(filePath: context.configuration.dataDirectory, directoryHint: .isDirectory)
            .appending(path: "readings", directoryHint: .isDirectory)
        let path = directory.path(percentEncoded: false)
        if FileManager.default.fileExists(atPath: path) { try FileManager.default.removeItem(at: directory) }
    }

    /// The definitions of a study as the caller sees them: with letters for arms if the study is blinded. Throws
    /// `not-found` if the study does not exist.
    func definitions(of study: String, for caller: Identity) async throws -> StudyDefinitions {
        do {
            return try await reader.definitions(
                of: study, blindingSecret: context.blindingSecret(of: study, for: caller))
        } catch DatasetFault.unknownStudy {
            throw Problem(.notFound)
        }
    }

    /// Runs `body` on a snapshot of a study as the caller sees it: in the caller's profile, and with letters for arms
    /// if the study is blinded.
    nonisolated(nonsending) func read<Value>(
        _ study: String, for caller: Identity, now: Instant,
        _ body: nonisolated(nonsending) (DatasetReadSession) async throws -> Value
    ) async throws -> Value {
        try await reader.read(
            study, profile: Self.profile(caller, study),
            blindingSecret: context.blindingSecret(of: study, for: caller), now: now
        ) { try await body($0) }
    }

    /// Records in the audit, once per hour, that the caller has read data of a study.
    /// - Parameter detail: which data, in codes only. With the number of rows there would be an entry for each page.
    func audit(_ call: Call<Identity>, _ study: String, api: String, _ detail: JSONObject) async throws {
        var entry: JSONObject = ["api": .string(api)]
        if let token = call.caller.apiToken { entry["token_id"] = .string(token.description) }
        for member in detail { entry[member.name] = member.value }
        try await context.audit.record(
            AuditEntry(
                actor: .account(call.caller.account), action: "data_read", study: study,
                requestID: call.requestID, detail: entry), at: call.now)
    }

    /// The profile in which the caller may read this study: `full` if one of the caller's grants allows full exports,
    /// otherwise `coded`.
    static func profile(_ caller: Identity, _ study: String) -> DatasetProfile {
        let isFull = caller.grants.contains {
            $0.study == study && $0.role.readsAnswers && $0.fullExport
        }
        return isFull ? .full : .coded
    }

    /// Runs `work`, which passes a reply to `sink` in pieces. Each piece is appended to a file. `work` may store
    /// temporary files in `folder`.
    /// - Returns: the file.
    /// - Throws: `busy` if too many replies are being written, `request-invalid` if the reply is larger than 1 GiB, and
    ///   the errors of `work`.
    func spool(
        _ work: (_ folder: URL, _ sink: @escaping ([UInt8]) throws -> Void) async throws -> Void
    ) async throws -> SpooledFile {
        try await loadShedder.withPermit(bytes: 0, for: nil) {
            let folder = directory.appending(path: UUID().uuidString, directoryHint: .isDirectory)
            try FileManager.default.createDirectory(
                at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            let file = SpooledFile(folder: folder)
            try Data().write(to: file.url, options: .withoutOverwriting)
            let handle = try FileHandle(forWritingTo: file.url)
            // An error while closing has no effect, because the file does not have to survive the process.
            defer { try? handle.close() }
            var bytes = 0
            try await work(folder) { piece in
                bytes += piece.count
                guard bytes <= Self.maximumBytes else {
                    throw Problem(
                        .requestInvalid,
                        "The reply would be larger than 1 GiB. Request fewer records or fields.")
                }
                try handle.write(contentsOf: piece)
            }
            return file
        }
    }
}
