import Postgres
import SaunterCore

extension Store {
    /// The maximum number of queued jobs of a study.
    private static let maximumQueued = 10

    /// Queues a job and writes the audit entry.
    /// - Returns: false if too many jobs are queued. Then nothing is written.
    package func insertExport(_ request: ExportRequest, audit: AuditEntry, now: Instant) async throws -> Bool
    {
        try await research.write { transaction in
            let inserted = try await transaction.query(
                Statements.exports["insert_export_job"],
                [
                    "export_id": .id(request.id), "study": .text(request.study),
                    "requested_by": .id(request.account), "profile": .text(request.profile),
                    "filters": .json(request.filters), "now": .instant(now),
                    "request_digest": .text(request.digest), "asked_tag": .text(request.tag),
                    "blinded": .bool(request.isBlinded),
                    "most_queued": .int(Self.maximumQueued),
                ])
            guard !inserted.isEmpty else { return false }
            _ = try await transaction.pipeline([audit.call(at: now, secrets)])
            return true
        }
    }

    /// Jobs whose dataset would equal that of a new job, the newest first.
    package func listExports(equivalentTo request: ExportRequest) async throws -> [ExportJob] {
        try await research.query(
            Statements.exports["list_alike_exports"],
            [
                "study": .text(request.study), "request_digest": .text(request.digest),
                "tag": .text(request.tag),
            ]
        ).map { try ExportJob($0) }
    }

    /// Records that the dataset of a job was requested again, and writes the audit entry. If the job is done, its
    /// retention period starts again.
    package func renewExport(_ id: ExportID, audit: AuditEntry, now: Instant) async throws {
        _ = try await research.write { transaction in
            try await transaction.pipeline([
                (Statements.exports["want_export"], ["export_id": .id(id), "now": .instant(now)]),
                audit.call(at: now, secrets),
            ])
        }
    }

    /// One job of a study, or nil.
    package func findExport(_ id: ExportID, study: String) async throws -> ExportJob? {
        try await research.query(
            Statements.exports["find_export_job"], ["study": .text(study), "export_id": .id(id)]
        )
        .oneOrNone().map { try ExportJob($0) }
    }

    /// The jobs of a study, the newest first.
    /// - Parameters:
    ///   - profiles: raw values of the profiles that the list contains.
    ///   - seesCodes: whether the list also contains datasets with the codes of arms.
    ///   - after: when the last job of the previous page was requested, and its id; nil for the first page.
    package func listExports(
        of study: String, profiles: [String], seesCodes: Bool, after: (requestedAt: Instant, id: ExportID)?,
        limit: Int
    ) async throws -> [ExportJob] {
        try await research.query(
            Statements.exports["list_export_jobs"],
            [
                "study": .text(study), "profiles": .texts(profiles), "sees_codes": .bool(seesCodes),
                "before": .instant(after?.requestedAt), "before_id": .id(after?.id),
                "limit_rows": .int(limit),
            ]
        ).map { try ExportJob($0) }
    }

    /// Cancels an unfinished job, or marks a finished one as deleted, and writes the audit entry. The caller deletes
    /// the file.
    /// - Returns: the new state; nil if the job had already ended without a file.
    package func cancelOrDeleteExport(
        _ id: ExportID, study: String, now: Instant, audit: @Sendable (ExportJob.State) -> AuditEntry
    ) async throws -> ExportJob.State? {
        try await research.write { transaction in
            let rows = try await transaction.query(
                Statements.exports["end_export_job"],
                ["study": .text(study), "export_id": .id(id), "now": .instant(now)])
            guard let row = try rows.oneOrNone() else { return nil }
            let state: ExportJob.State = try row.value("state")
            _ = try await transaction.pipeline([audit(state).call(at: now, secrets)])
            return state
        }
    }

    /// Marks finished jobs as expired. The caller deletes their files.
    /// - Parameter lastRequestedBefore: expires jobs that were finished and last requested before this instant.
    package func expireExports(lastRequestedBefore: Instant) async throws -> [ExportID] {
        try await research.query(
            Statements.exports["expire_export_jobs"], ["wanted_before": .instant(lastRequestedBefore)]
        )
        .map { try $0.id("export_id") }
    }

    /// Jobs that have a file or are writing one.
    package func listExportFiles() async throws -> [(id: ExportID, isRunning: Bool)] {
        try await research.query(Statements.exports["list_export_files"], []).map {
            (try $0.id("export_id"), try $0.get("state", as: String.self) == "running")
        }
    }

    /// The call that deletes finished datasets and restarts running jobs, because they contain data that this
    /// transaction excludes, erases or purges.
    static func discardExportsCall(of study: String, now: Instant) -> (Statement, Arguments) {
        (
            Statements.exports["discard_exports"],
            [
                "study": .text(study), "now": .instant(now), "most_attempts": .int(maximumExportAttempts),
                "failure": .text(
                    "Data was excluded, erased or purged during every attempt to make the dataset."),
            ]
        )
    }
}

/// Functions for the worker of a job. A worker changes a job only while `attempt` equals the number of its claim.
/// `claimExport` and `failAbandonedExports` change jobs without a worker, or whose worker stopped.
extension Store {
    /// The maximum number of claims of a job. After the last one the job fails, because it may be the reason why its
    /// workers stopped.
    static let maximumExportAttempts = 5

    /// Claims the next job of a kind. It belongs to this worker until the lease ends.
    package func claimExport(
        _ kind: ExportJob.Kind, now: Instant, leaseUntil: Instant
    ) async throws -> ExportJob? {
        do {
            return try await research.query(
                Statements.exports["claim_export_job"],
                [
                    "statistics": .bool(kind == .statistics), "now": .instant(now),
                    "lease_until": .instant(leaseUntil), "most_attempts": .int(Self.maximumExportAttempts),
                ]
            ).oneOrNone().map { try ExportJob($0) }
        } catch let error as DatabaseError where error.constraint == "export_job_one_running" {
            // Another server started a job of the same study at the same time.
            return nil
        }
    }

    /// Marks jobs as failed that were claimed `maximumExportAttempts` times and whose last lease has expired.
    package func failAbandonedExports(failure: String, now: Instant) async throws {
        _ = try await research.query(
            Statements.exports["give_up_export_jobs"],
            [
                "now": .instant(now), "most_attempts": .int(Self.maximumExportAttempts),
                "failure": .text(failure),
            ])
    }

    /// Records the progress of a job and extends its lease.
    /// - Returns: false if the job no longer belongs to this worker, because it was stopped or its lease expired.
    package func updateExportProgress(
        _ job: ExportJob, progress: Double, file: String?, rows: Int, estimated: Int?, leaseUntil: Instant
    ) async throws -> Bool {
        try await !research.query(
            Statements.exports["advance_export_job"],
            [
                "export_id": .id(job.id), "attempt": .int(job.attempt), "progress": .float8(progress),
                "current_file": .text(file), "rows_done": .int8(Int64(rows)),
                "rows_estimated": .int8(estimated.map { Int64($0) }), "lease_until": .instant(leaseUntil),
            ]
        ).isEmpty
    }

    /// Records the finished file and writes the audit entry.
    /// - Returns: false if the job no longer belongs to this worker. Then nothing is written.
    package func finishExport(
        _ job: ExportJob, _ file: ExportedFile, audit: AuditEntry, now: Instant
    ) async throws -> Bool {
        try await research.write { transaction in
            let rows = try await transaction.query(
                Statements.exports["finish_export_job"],
                [
                    "export_id": .id(job.id), "attempt": .int(job.attempt), "now": .instant(now),
                    "file_name": .text(file.name),
                    "file_bytes": .int8(Int64(file.bytes)), "file_sha256": .text(file.digest),
                    "rows_done": .int8(Int64(file.rows)),
                    "snapshot": .text(file.snapshot), "snapshot_tag": .text(file.tag),
                    "change_seq": .int8(file.changeSequence),
                ])
            guard !rows.isEmpty else { return false }
            _ = try await transaction.pipeline([audit.call(at: now, secrets)])
            return true
        }
    }

    /// Marks a job as failed.
    package func failExport(_ job: ExportJob, failure: String, now: Instant) async throws {
        _ = try await research.query(
            Statements.exports["fail_export_job"],
            [
                "export_id": .id(job.id), "attempt": .int(job.attempt), "now": .instant(now),
                "failure": .text(failure),
            ])
    }
}
