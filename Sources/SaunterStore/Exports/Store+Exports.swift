import Postgres
import SaunterCore

/// A dataset that somebody asked for.
package struct ExportJob: Sendable {
    package enum State: String, Sendable, CaseIterable {
        case queued, running, done, failed, expired
    }

    package var id: ExportID
    package var study: String
    package var requestedBy: AccountID
    package var profile: String
    package var filters: JSON
    package var requestedAt: Instant
    package var state: State
    /// 0…1.
    package var progress: Double
    package var finishedAt: Instant?
    package var fileName: String?
    package var fileBytes: Int?
    /// Hexadecimal.
    package var fileDigest: String?
    package var failure: String?
}

extension Store {
    /// Queues a dataset, with its audit line.
    package func insertExport(
        _ id: ExportID, study: String, by account: AccountID, profile: String, filters: JSON,
        audit: AuditEntry, now: Instant
    ) async throws {
        _ = try await research.write { transaction in
            try await transaction.pipeline([
                (
                    Statements.exports["insert_export_job"],
                    [.id(id), .text(study), .id(account), .text(profile), .json(filters), .instant(now)]
                ),
                audit.call(at: now),
            ])
        }
    }

    /// Takes the next job; it is this worker's until the lease ends.
    package func claimExport(now: Instant, leaseUntil: Instant) async throws -> ExportJob? {
        let rows = try await research.query(
            Statements.exports["claim_export_job"], [.instant(now), .instant(leaseUntil)])
        guard let row = try rows.oneOrNone() else { return nil }
        return ExportJob(
            id: try row.id("export_id"), study: try row.get("study"), requestedBy: try row.id("requested_by"),
            profile: try row.get("profile"),
            filters: try JSONReader.read(row.get("filters", as: String.self)),
            requestedAt: try row.instant("requested_at"), state: .running, progress: 0)
    }

    package func advanceExport(_ id: ExportID, progress: Double, leaseUntil: Instant) async throws {
        _ = try await research.query(
            Statements.exports["advance_export_job"], [.id(id), .float8(progress), .instant(leaseUntil)])
    }

    /// Records the finished file, with an audit line that tells its size and rows.
    package func finishExport(
        _ id: ExportID, fileName: String, bytes: Int, digest: String, audit: AuditEntry, now: Instant
    ) async throws {
        _ = try await research.write { transaction in
            try await transaction.pipeline([
                (
                    Statements.exports["finish_export_job"],
                    [.id(id), .instant(now), .text(fileName), .int8(Int64(bytes)), .text(digest)]
                ),
                audit.call(at: now),
            ])
        }
    }

    package func failExport(_ id: ExportID, failure: String, now: Instant) async throws {
        _ = try await research.query(
            Statements.exports["fail_export_job"], [.id(id), .instant(now), .text(failure)])
    }

    /// Jobs whose files are to be removed now.
    package func expireExports(finishedBefore: Instant) async throws -> [ExportID] {
        try await research.query(Statements.exports["expire_export_jobs"], [.instant(finishedBefore)])
            .map { try $0.id("export_id") }
    }

    /// Jobs that have a file, or are making one.
    package func listExportFiles() async throws -> [(id: ExportID, isRunning: Bool)] {
        try await research.query(Statements.exports["list_export_files"], []).map {
            (try $0.id("export_id"), try $0.get("state", as: String.self) == "running")
        }
    }

    package func findExport(_ id: ExportID, study: String) async throws -> ExportJob? {
        let rows = try await research.query(Statements.exports["find_export_job"], [.text(study), .id(id)])
        guard let row = try rows.oneOrNone() else { return nil }
        return ExportJob(
            id: try row.id("export_id"), study: try row.get("study"), requestedBy: try row.id("requested_by"),
            profile: try row.get("profile"),
            filters: try JSONReader.read(row.get("filters", as: String.self)),
            requestedAt: try row.instant("requested_at"), state: try row.value("state"),
            progress: try row.get("progress"), finishedAt: try row.instantOptional("finished_at"),
            fileName: try row.getOptional("file_name"), fileBytes: try row.getOptional("file_bytes"),
            fileDigest: try row.getOptional("file_sha256"), failure: try row.getOptional("failure"))
    }
}
