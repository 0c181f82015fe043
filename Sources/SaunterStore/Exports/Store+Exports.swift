import Postgres
import SaunterCore

extension Store {
    /// So many may wait in one study.
    private static let mostQueued = 10

    /// Queues a dataset, with its audit line.
    /// - Returns: false when too many wait already; then nothing was written.
    package func insertExport(_ order: ExportOrder, audit: AuditEntry, now: Instant) async throws -> Bool {
        try await research.write { transaction in
            let made = try await transaction.query(
                Statements.exports["insert_export_job"],
                [
                    .id(order.id), .text(order.study), .id(order.account), .text(order.profile),
                    .json(order.filters), .instant(now), .text(order.digest), .text(order.tag),
                    .int(Self.mostQueued),
                ])
            guard !made.isEmpty else { return false }
            _ = try await transaction.pipeline([audit.call(at: now)])
            return true
        }
    }

    /// Jobs that answer a request as well as a new one would, the newest first.
    package func listExports(alike order: ExportOrder) async throws -> [ExportJob] {
        try await research.query(
            Statements.exports["list_alike_exports"],
            [.text(order.study), .text(order.digest), .text(order.tag)]
        ).map { try ExportJob($0) }
    }

    /// Notes that somebody asked for a finished dataset again, with an audit line: its file is kept from now on.
    package func wantExport(_ id: ExportID, audit: AuditEntry, now: Instant) async throws {
        _ = try await research.write { transaction in
            try await transaction.pipeline([
                (Statements.exports["want_export"], [.id(id), .instant(now)]), audit.call(at: now),
            ])
        }
    }

    package func findExport(_ id: ExportID, study: String) async throws -> ExportJob? {
        try await research.query(Statements.exports["find_export_job"], [.text(study), .id(id)])
            .oneOrNone().map { try ExportJob($0) }
    }

    /// Stops a job that is not done, or lets go of the file of one that is, with an audit line.
    /// - Returns: what became of it; nil when there was nothing to stop or to let go.
    package func endExport(
        _ id: ExportID, study: String, now: Instant, audit: @Sendable (ExportJob.State) -> AuditEntry
    ) async throws -> ExportJob.State? {
        try await research.write { transaction in
            let rows = try await transaction.query(
                Statements.exports["end_export_job"], [.text(study), .id(id), .instant(now)])
            guard let row = try rows.oneOrNone() else { return nil }
            let state: ExportJob.State = try row.value("state")
            _ = try await transaction.pipeline([audit(state).call(at: now)])
            return state
        }
    }

    /// Jobs whose files are to be removed now.
    /// - Parameter wantedBefore: the last moment at which it was finished or asked for again.
    package func expireExports(wantedBefore: Instant) async throws -> [ExportID] {
        try await research.query(Statements.exports["expire_export_jobs"], [.instant(wantedBefore)])
            .map { try $0.id("export_id") }
    }

    /// Jobs that have a file, or are making one.
    package func listExportFiles() async throws -> [(id: ExportID, isRunning: Bool)] {
        try await research.query(Statements.exports["list_export_files"], []).map {
            (try $0.id("export_id"), try $0.get("state", as: String.self) == "running")
        }
    }
}
