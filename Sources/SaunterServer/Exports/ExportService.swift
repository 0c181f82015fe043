import Foundation
import Logging
import Postgres
import SaunterCore
import SaunterEvaluation
import SaunterStore
import ServiceLifecycle

/// Makes the datasets and the statistics that researchers request, in the background: one dataset after another, and
/// beside them one statistics after another. If a server stops during a job, another worker claims the job after its
/// lease ends.
struct ExportService: Service, CustomStringConvertible {
    /// The name in logs.
    var description: String { "ExportService" }

    private static let pauseSeconds = 1
    private static let leaseSeconds = 30
    private static let retentionSeconds = 86_400
    private static let cleanupSeconds = 60

    let store: Store
    /// While records wait in this queue, the service pauses the writing of a dataset.
    let ingest: IngestQueue
    let folder: ExportFolder
    let now: @Sendable () -> Instant
    let logger: Logger
    /// Computes statistics outside the threads that serve requests.
    private let background = BackgroundExecutor(label: "saunter.statistics")

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

    /// The tag that the dataset would have if it was made now; nil if it is not known yet.
    func tag(of request: DatasetRequest, now: Instant) async throws -> String? {
        // Uses another pool than the writer, whose connection is busy for a whole job. The request numbers only one
        // batch of changes and does not wait until all are numbered; the writer waits for that.
        let store = store
        return try await DatasetWriter(
            pool: store.export, numberChanges: { _ = try await store.numberChanges(of: $0, batches: 1) }
        ).tag(of: request, now: now)
    }

    private var writer: DatasetWriter {
        let (store, ingest) = (store, ingest)
        return DatasetWriter(
            pool: store.datasets, isServerBusy: { await ingest.hasWaitingRecords },
            numberChanges: { _ = try await store.numberChanges(of: $0) },
            secret: { store.secrets.releaseSecret($0) })
    }

    /// When the server deletes the file of a finished job; nil if the job is not done.
    func expiry(of job: ExportJob) -> Instant? {
        guard job.state == .done, let finished = job.finishedAt else { return nil }
        return max(finished, job.lastRequestedAt ?? finished).adding(seconds: Self.retentionSeconds)
    }

    func run() async throws {
        await cancelWhenGracefulShutdown {
            async let statistics: Void = repeatedly {
                while try await runNext(.statistics) {}
            }
            var nextCleanup = now()
            await repeatedly {
                if now() >= nextCleanup {
                    try await folder.clear(keeping: store.listExportFiles())
                    nextCleanup = now().adding(seconds: Self.cleanupSeconds)
                }
                try await expire()
                while try await runNext(.dataset) {}
            }
            await statistics
        }
    }

    /// Runs the step each second until the task is cancelled. After an error it waits for 10 seconds.
    private func repeatedly(_ step: () async throws -> Void) async {
        while !Task.isCancelled {
            do {
                try await step()
                try await Task.sleep(for: .seconds(Self.pauseSeconds))
            } catch is CancellationError {
                return
            } catch {
                logger.error("exports cannot be processed", metadata: ["error": "\(error)"])
                do { try await Task.sleep(for: .seconds(10)) } catch { return }
            }
        }
    }

    /// Claims and runs one job.
    /// - Returns: false if there is no job of the kind that this worker can claim now.
    func runNext(_ kind: ExportJob.Kind) async throws -> Bool {
        guard let job = try await store.claimExport(kind, now: now(), leaseUntil: lease) else { return false }
        let progress = ExportProgress()
        do {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    switch kind {
                    case .dataset: try await make(job, progress)
                    case .statistics: try await makeStatistics(job)
                    }
                }
                group.addTask { try await reportProgress(job, progress) }
                // `make` ends when the dataset is complete; `reportProgress` ends only when the lease is lost.
                defer { group.cancelAll() }
                _ = try await group.next()
            }
        } catch is LostLease {
            logger.info("an export was stopped", metadata: ["export": "\(job.id)"])
        } catch  where Task.isCancelled {
            throw CancellationError()
        } catch let fault as DatasetFault {
            try await store.failExport(job, failure: fault.description, now: now())
        } catch let error as DatabaseError where error.isOutage {
            // The job itself did not fail. After its lease ends, a worker runs it again.
            logger.warning("an export is postponed", metadata: ["export": "\(job.id)", "error": "\(error)"])
        } catch {
            logger.error("an export failed", metadata: ["export": "\(job.id)", "error": "\(error)"])
            try await store.failExport(
                job, failure: "The server could not finish the job; see the server's log.", now: now())
        }
        return true
    }

    private var lease: Instant { now().adding(seconds: Self.leaseSeconds) }

    private func make(_ job: ExportJob, _ progress: ExportProgress) async throws {
        let request = try DatasetRequest(job)
        try folder.make()
        try folder.clear(job.id)
        let (work, unfinished) = (folder.work(job.id), folder.unfinished(job.id))
        // Also runs after an error. Otherwise an incomplete dataset would keep a full disk full.
        defer { discard(work, unfinished) }
        let manifest = try await writer.write(
            request, to: work.path(percentEncoded: false), now: now()
        ) { progress.update($0) }
        progress.beginZip()
        let zipped = try await ExportZip.make(work, as: manifest.name, at: unfinished)
        try FileManager.default.moveItem(at: unfinished, to: folder.file(of: job.id))
        let audit = AuditEntry(
            actor: .account(job.requestedBy), action: "export_made", study: job.study,
            detail: [
                "export_id": .id(job.id), "profile": .string(job.profile),
                "snapshot": .string(manifest.snapshot),
                "enrolments": .int(manifest.participants.enrolments), "rows": manifest.rows,
            ])
        let file = ExportedFile(
            name: "\(manifest.name).zip", bytes: zipped.bytes, digest: zipped.sha256, rows: progress.rows,
            snapshot: manifest.snapshot, tag: manifest.tag, changeSequence: manifest.changeSequence)
        guard try await store.finishExport(job, file, audit: audit, now: now()) else {
            discard(folder.file(of: job.id))
            throw LostLease()
        }
    }

    private func makeStatistics(_ job: ExportJob) async throws {
        guard let questionnaire = job.filters["questionnaire"]?.string else { throw Problem(.internalError) }
        _ = try await store.numberChanges(of: job.study)
        let reader = StudyReportReader(pool: store.readers)
        let secret = job.isBlinded ? store.secrets.releaseSecret(job.study) : nil
        let statistics = try await withTaskExecutorPreference(background) {
            try await reader.statistics(
                study: job.study, questionnaire: questionnaire, blindingSecret: secret, now: now())
        }
        let audit = AuditEntry(
            actor: .account(job.requestedBy), action: "statistics_made", study: job.study,
            detail: [
                "export_id": .id(job.id), "questionnaire": .string(questionnaire),
                "as_of": .instant(statistics.asOf), "sheets": .int(statistics.sheetCount),
            ])
        guard
            try await store.finishStatistics(
                job, result: statistics.json, sheets: statistics.sheetCount, tag: statistics.tag,
                changeSequence: statistics.changeSequence, audit: audit, now: now())
        else { throw LostLease() }
    }

    /// Every second, extends the lease of the job and stores its progress, until the task is cancelled.
    /// - Throws: `LostLease` if the job no longer belongs to this worker.
    private func reportProgress(_ job: ExportJob, _ progress: ExportProgress) async throws {
        while true {
            try await Task.sleep(for: .seconds(1))
            let snapshot = progress.snapshot
            do {
                let ownsLease = try await store.updateExportProgress(
                    job, progress: snapshot.share, file: snapshot.file, rows: snapshot.rows,
                    estimated: snapshot.estimated,
                    leaseUntil: lease)
                guard ownsLease else { throw LostLease() }
            } catch let error as DatabaseError {
                // The lease lasts for 30 seconds. If the database stays unreachable, `make` fails as well.
                logger.warning(
                    "the progress of an export could not be stored",
                    metadata: ["export": "\(job.id)", "error": "\(error)"])
            }
        }
    }

    private func expire() async throws {
        try await store.failAbandonedExports(
            failure:
                "The server started the job several times and stopped each time before it was complete.",
            now: now())
        for id in try await store.expireExports(
            lastRequestedBefore: now().adding(seconds: -Self.retentionSeconds))
        {
            try folder.remove { $0 == folder.file(of: id).lastPathComponent }
        }
    }

    private func discard(_ urls: URL...) {
        for url in urls where FileManager.default.fileExists(atPath: url.path(percentEncoded: false)) {
            do {
                try FileManager.default.removeItem(at: url)
            } catch {
                logger.error("an incomplete dataset could not be deleted", metadata: ["error": "\(error)"])
            }
        }
    }
}

/// The job no longer belongs to this worker, because it was cancelled or its lease ended.
private struct LostLease: Error {}
