import Crypto
import Foundation
import Logging
import SaunterCore
import SaunterEvaluation
import SaunterStore
import ServiceLifecycle

/// Makes the datasets that researchers ask for, one after the other, beside the requests. Whoever dies leaves a job that is taken up again.
struct ExportDesk: Service {
    private static let restSeconds = 1
    private static let leaseSeconds = 120
    private static let keptSeconds = 86_400

    let store: Store
    let directory: URL
    let now: @Sendable () -> Instant
    let logger: Logger

    init(store: Store, dataDirectory: String, now: @escaping @Sendable () -> Instant, logger: Logger) {
        self.store = store
        directory = URL(filePath: dataDirectory, directoryHint: .isDirectory)
            .appending(path: "exports", directoryHint: .isDirectory)
        self.now = now
        self.logger = logger
    }

    func file(of id: ExportID) -> URL { directory.appending(path: "\(id).zip") }

    func run() async throws {
        await cancelWhenGracefulShutdown {
            var isTidy = false
            while !Task.isCancelled {
                do {
                    // Of processes before this one; this one clears away after itself.
                    if !isTidy {
                        try await removeLeftovers()
                        isTidy = true
                    }
                    try await expire()
                    while try await runNext() {}
                    try await Task.sleep(for: .seconds(Self.restSeconds))
                } catch is CancellationError {
                    return
                } catch {
                    logger.error("exports are stuck", metadata: ["error": "\(error)"])
                    do { try await Task.sleep(for: .seconds(10)) } catch { return }
                }
            }
        }
    }

    /// One job; false when none waits.
    func runNext() async throws -> Bool {
        let lease = now().adding(seconds: Self.leaseSeconds)
        guard let job = try await store.claimExport(now: now(), leaseUntil: lease) else { return false }
        do {
            try await make(job)
        } catch is CancellationError {
            throw CancellationError()
        } catch let fault as DatasetFault {
            try await store.failExport(job.id, failure: fault.description, now: now())
        } catch {
            logger.error("an export failed", metadata: ["export": "\(job.id)", "error": "\(error)"])
            try await store.failExport(
                job.id, failure: "The dataset could not be made; see the server's log.", now: now())
        }
        return true
    }

    private func make(_ job: ExportJob) async throws {
        guard let profile = DatasetProfile(rawValue: job.profile) else { throw Problem(.internalError) }
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        let folder = directory.appending(path: "\(job.id).work", directoryHint: .isDirectory)
        let unfinished = directory.appending(path: "\(job.id).part")
        try remove { $0.contains(job.id.description) }
        // Whatever stops it: a disk that is full must not stay so by what was half made.
        defer { discard(folder, unfinished) }
        let keeper = Task { try await keepLease(job.id) }
        defer { keeper.cancel() }
        let secrets = store.secrets
        let writer = DatasetWriter(pool: store.export) { secrets.releaseSecret($0) }
        let manifest = try await writer.write(
            study: job.study, to: folder.path(percentEncoded: false), profile: profile,
            filters: DatasetFilters(job.filters), formats: DatasetFormat.asked(in: job.filters),
            requestedBy: job.requestedBy.description, now: now())
        let zipped = try await Self.aside {
            try ZipArchive.write(
                folder.path(percentEncoded: false), as: manifest.name,
                to: unfinished.path(percentEncoded: false))
            return try Self.digest(of: unfinished)
        }
        try FileManager.default.moveItem(at: unfinished, to: file(of: job.id))
        let audit = AuditEntry(
            actor: .account(job.requestedBy), action: "export_made", study: job.study,
            detail: [
                "export_id": .id(job.id), "profile": .string(job.profile),
                "snapshot": .string(manifest.snapshot),
                "enrolments": .int(manifest.people.enrolments), "rows": manifest.rows,
            ])
        try await store.finishExport(
            job.id, fileName: "\(manifest.name).zip", bytes: zipped.bytes, digest: zipped.sha256,
            audit: audit, now: now())
    }

    /// Says that the job is alive, until it is done.
    private func keepLease(_ id: ExportID) async throws {
        while !Task.isCancelled {
            try await Task.sleep(for: .seconds(Self.leaseSeconds / 4))
            try await store.advanceExport(
                id, progress: 0.5, leaseUntil: now().adding(seconds: Self.leaseSeconds))
        }
    }

    /// Reads the file once, piece by piece.
    private static func digest(of url: URL) throws -> (bytes: Int, sha256: String) {
        let file = try FileHandle(forReadingFrom: url)
        defer { try? file.close() }  // A file that was only read has nothing to lose.
        var hash = SHA256()
        var bytes = 0
        while let piece = try file.read(upToCount: 1 << 20), !piece.isEmpty {
            hash.update(data: piece)
            bytes += piece.count
        }
        return (bytes, hash.finalize().map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined())
    }

    private func expire() async throws {
        for id in try await store.expireExports(finishedBefore: now().adding(seconds: -Self.keptSeconds)) {
            try remove { $0 == file(of: id).lastPathComponent }
        }
    }

    /// Files that no job of the table stands for any more: of a process that died while it wrote, or before it could delete. They hold answers, so
    /// they must not outlive what the table says.
    private func removeLeftovers() async throws {
        let names = try contents()
        guard !names.isEmpty else { return }
        let alive = try await store.listExportFiles()
        try remove { name in
            !alive.contains { name == "\($0.id).zip" || ($0.isRunning && name.contains($0.id.description)) }
        }
    }

    private func remove(where isWanted: (String) -> Bool) throws {
        for name in try contents() where isWanted(name) {
            try FileManager.default.removeItem(at: directory.appending(path: name))
        }
    }

    private func contents() throws -> [String] {
        let path = directory.path(percentEncoded: false)
        guard FileManager.default.fileExists(atPath: path) else { return [] }
        return try FileManager.default.contentsOfDirectory(atPath: path)
    }

    private func discard(_ places: URL...) {
        for place in places where FileManager.default.fileExists(atPath: place.path(percentEncoded: false)) {
            do {
                try FileManager.default.removeItem(at: place)
            } catch {
                logger.error("a half-made dataset stays on the disk", metadata: ["error": "\(error)"])
            }
        }
    }

    /// Work that keeps a core busy for long, off the threads that serve requests.
    private static func aside<Value: Sendable>(
        _ work: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global(qos: .utility).async { continuation.resume(with: Result { try work() }) }
        }
    }
}

extension DatasetFormat {
    /// From the body of the request; what is absent asks for none.
    static func asked(in body: JSON) -> Set<DatasetFormat> {
        Set((body["formats"]?.array ?? []).compactMap { $0.string.flatMap { DatasetFormat(rawValue: $0) } })
    }
}

extension DatasetFilters {
    /// From the body of the request that asked for the dataset; what is absent does not filter.
    init(_ json: JSON) {
        self.init(
            from: json["from"]?.string.flatMap { LocalDate($0) },
            to: json["to"]?.string.flatMap { LocalDate($0) },
            questionnaires: (json["questionnaires"]?.array ?? []).compactMap(\.string),
            arms: (json["arms"]?.array ?? []).compactMap(\.string))
    }
}
