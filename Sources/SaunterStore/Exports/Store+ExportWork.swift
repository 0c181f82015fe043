import Postgres
import SaunterCore

/// What a worker says of its job. It counts only while the job is the worker's own: under the attempt that it began.
extension Store {
    /// So often a job is begun; one that ends every worker before it is done is given up.
    static let mostExportAttempts = 5

    /// Takes the next job; it is this worker's until the lease ends.
    package func claimExport(now: Instant, leaseUntil: Instant) async throws -> ExportJob? {
        do {
            return try await research.query(
                Statements.exports["claim_export_job"],
                [.instant(now), .instant(leaseUntil), .int(Self.mostExportAttempts)]
            ).oneOrNone().map { try ExportJob($0) }
        } catch let error as DatabaseError where error.constraint == "export_job_one_running" {
            // Another server began one in the same study at the same moment.
            return nil
        }
    }

    /// Gives up jobs whose workers all died.
    package func giveUpExports(failure: String, now: Instant) async throws {
        _ = try await research.query(
            Statements.exports["give_up_export_jobs"],
            [.instant(now), .int(Self.mostExportAttempts), .text(failure)])
    }

    /// Tells how far a job is, and keeps it.
    /// - Returns: false when it is no longer this worker's, because somebody stopped it or its lease was over.
    package func advanceExport(
        _ job: ExportJob, progress: Double, file: String?, rows: Int, estimated: Int?, leaseUntil: Instant
    ) async throws -> Bool {
        try await !research.query(
            Statements.exports["advance_export_job"],
            [
                .id(job.id), .int(job.attempt), .float8(progress), .text(file), .int8(Int64(rows)),
                .int8(estimated.map { Int64($0) }), .instant(leaseUntil),
            ]
        ).isEmpty
    }

    /// Records the finished file, with an audit line that tells its size and rows.
    /// - Returns: false when the job is no longer this worker's; then nothing was written.
    package func finishExport(
        _ job: ExportJob, _ file: ExportedFile, audit: AuditEntry, now: Instant
    ) async throws -> Bool {
        try await research.write { transaction in
            let rows = try await transaction.query(
                Statements.exports["finish_export_job"],
                [
                    .id(job.id), .int(job.attempt), .instant(now), .text(file.name),
                    .int8(Int64(file.bytes)), .text(file.digest), .int8(Int64(file.rows)),
                    .text(file.snapshot), .text(file.tag), .int8(file.changeSequence),
                ])
            guard !rows.isEmpty else { return false }
            _ = try await transaction.pipeline([audit.call(at: now)])
            return true
        }
    }

    package func failExport(_ job: ExportJob, failure: String, now: Instant) async throws {
        _ = try await research.query(
            Statements.exports["fail_export_job"],
            [.id(job.id), .int(job.attempt), .instant(now), .text(failure)])
    }
}
