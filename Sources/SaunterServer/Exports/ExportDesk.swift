import Foundation
import Logging
import Postgres
import SaunterCore
import SaunterEvaluation
import SaunterStore
import ServiceLifecycle

/// Makes the datasets that researchers ask for, one after the other, beside the requests. Whoever dies leaves a job that is taken up again once its
/// lease is over.
struct ExportDesk: Service {
    private static let restSeconds = 1
    private static let leaseSeconds = 30
    private static let keptSeconds = 86_400
    private static let tidySeconds = 60

    let store: Store
    /// Datasets make way while it has to wait.
    let ingest: IngestQueue
    let folder: ExportFolder
    let now: @Sendable () -> Instant
    let logger: Logger

    init(
        store: Store, ingest: IngestQueue, dataDirectory: String, now: @escaping @Sendable () -> Instant,
        logger: Logger
    ) {
        self.store = store
        self.ingest = ingest
        folder = ExportFolder(dataDirectory: dataDirectory)
        self.now = now
        self.logger = logger
    }

    /// What a dataset would be known by if it were made now; nil when that cannot be told.
    func tag(of request: DatasetRequest, now: Instant) async throws -> String? {
        // Not by the connection that a dataset in the making holds for as long as it takes; and who asks does not wait until
        // everything is numbered: the dataset's maker does.
        let store = store
        return try await DatasetWriter(
            pool: store.export, number: { _ = try await store.numberChanges(of: $0, batches: 1) }
        ).tag(of: request, now: now)
    }

    private var writer: DatasetWriter {
        let (store, ingest) = (store, ingest)
        return DatasetWriter(
            pool: store.datasets, makesWay: { await ingest.isBehind },
            number: { _ = try await store.numberChanges(of: $0) },
            secret: { store.secrets.releaseSecret($0) })
    }

    /// Until when the file of a finished job is kept.
    func expiry(of job: ExportJob) -> Instant? {
        guard job.state == .done, let finished = job.finishedAt else { return nil }
        return max(finished, job.wantedAt ?? finished).adding(seconds: Self.keptSeconds)
    }

    func run() async throws {
        await cancelWhenGracefulShutdown {
            var tidyAt = now()
            while !Task.isCancelled {
                do {
                    if now() >= tidyAt {
                        try await folder.clear(but: store.listExportFiles())
                        tidyAt = now().adding(seconds: Self.tidySeconds)
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
        guard let job = try await store.claimExport(now: now(), leaseUntil: lease) else { return false }
        let progress = ExportProgress()
        do {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await make(job, progress) }
                group.addTask { try await keep(job, progress) }
                // Making ends by itself; keeping only when the job is lost.
                defer { group.cancelAll() }
                _ = try await group.next()
            }
        } catch is ExportLost {
            logger.info("an export was stopped", metadata: ["export": "\(job.id)"])
        } catch  where Task.isCancelled {
            throw CancellationError()
        } catch let fault as DatasetFault {
            try await store.failExport(job, failure: fault.description, now: now())
        } catch let error as DatabaseError where error.isOutage {
            // Nobody's fault but the database's: once the lease is over it is begun again, by whoever comes first.
            logger.warning("an export is put off", metadata: ["export": "\(job.id)", "error": "\(error)"])
        } catch {
            logger.error("an export failed", metadata: ["export": "\(job.id)", "error": "\(error)"])
            try await store.failExport(
                job, failure: "The dataset could not be made; see the server's log.", now: now())
        }
        return true
    }

    private var lease: Instant { now().adding(seconds: Self.leaseSeconds) }

    private func make(_ job: ExportJob, _ progress: ExportProgress) async throws {
        let request = try DatasetRequest(job)
        try folder.make()
        try folder.clear(job.id)
        let (work, unfinished) = (folder.work(job.id), folder.unfinished(job.id))
        // Whatever stops it: a disk that is full must not stay so by what was half made.
        defer { discard(work, unfinished) }
        let manifest = try await writer.write(
            request, to: work.path(percentEncoded: false), now: now()
        ) { progress.note($0) }
        progress.noteZip()
        let zipped = try await ExportZip.make(work, as: manifest.name, at: unfinished)
        try FileManager.default.moveItem(at: unfinished, to: folder.file(of: job.id))
        let audit = AuditEntry(
            actor: .account(job.requestedBy), action: "export_made", study: job.study,
            detail: [
                "export_id": .id(job.id), "profile": .string(job.profile),
                "snapshot": .string(manifest.snapshot),
                "enrolments": .int(manifest.people.enrolments), "rows": manifest.rows,
            ])
        let file = ExportedFile(
            name: "\(manifest.name).zip", bytes: zipped.bytes, digest: zipped.sha256, rows: progress.rows,
            snapshot: manifest.snapshot, tag: manifest.tag, changeSequence: manifest.changeSequence)
        guard try await store.finishExport(job, file, audit: audit, now: now()) else {
            discard(folder.file(of: job.id))
            throw ExportLost()
        }
    }

    /// Says every second that the job is alive and how far it is, until it is done.
    /// - Throws: `ExportLost` when it is no longer ours.
    private func keep(_ job: ExportJob, _ progress: ExportProgress) async throws {
        while true {
            try await Task.sleep(for: .seconds(1))
            let told = progress.told
            do {
                let isOurs = try await store.advanceExport(
                    job, progress: told.share, file: told.file, rows: told.rows, estimated: told.estimated,
                    leaseUntil: lease)
                guard isOurs else { throw ExportLost() }
            } catch let error as DatabaseError {
                // The lease lasts for a while; if the database stays away, making the dataset ends as well.
                logger.warning(
                    "an export could not tell how far it is",
                    metadata: ["export": "\(job.id)", "error": "\(error)"])
            }
        }
    }

    private func expire() async throws {
        try await store.giveUpExports(
            failure: "The dataset was begun several times, and the server ended each time.", now: now())
        for id in try await store.expireExports(wantedBefore: now().adding(seconds: -Self.keptSeconds)) {
            try folder.remove { $0 == folder.file(of: id).lastPathComponent }
        }
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
}

/// The job is no longer this worker's.
private struct ExportLost: Error {}
