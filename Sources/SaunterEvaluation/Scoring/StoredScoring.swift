import Foundation
import Postgres
import SaunterCore
import SaunterStore

/// Brings the stored scores of a study in line with the keys in force. Scores by another key or engine stay: a score
/// is known by what computed it.
package struct StoredScoring: Sendable {
    /// What came of it.
    package struct Report: Sendable, Hashable {
        /// Sheets of the study that some key scores, all revisions.
        package var sheets = 0
        /// Of these, sheets that lacked a score.
        package var scored = 0
        /// Scores that were added.
        package var rows = 0
        /// Sheets whose stored answers do not fit their version; they are passed over.
        package var damaged: [String] = []
        /// The job that did it; nil where nothing was to be done.
        package var rescoring: RescoringID?

        package var json: JSON {
            [
                "sheets": .int(sheets), "scored": .int(scored), "rows_added": .int(rows),
                "damaged": .array(damaged.map(JSON.string)),
                "rescoring_id": .optional(rescoring) { .string($0.description) },
            ]
        }
    }

    let pool: Pool
    private let now: @Sendable () -> Instant

    /// - Parameters:
    ///   - pool: under the role `saunter_research`.
    ///   - now: the present; by this machine's clock unless told otherwise.
    package init(pool: Pool, now: @escaping @Sendable () -> Instant = StoredScoring.clock) {
        self.pool = pool
        self.now = now
    }

    /// This machine's clock.
    package static let clock: @Sendable () -> Instant = {
        Instant(milliseconds: Int64((Date().timeIntervalSince1970 * 1000).rounded(.down)))
    }

    /// Safe to run at any time and again: what is there already is left alone. Where a server is at the same work,
    /// its end is awaited.
    /// - Parameter progress: called after each batch with the sheets scored so far.
    /// - Throws: `DatasetFault.unknownStudy` and `.unreadableVersion`, `DatabaseError`.
    package func run(study: String, progress: @Sendable (Int) -> Void = { _ in }) async throws -> Report {
        let inForce = try await inForce(study)
        let rescorings = Rescorings(pool: pool)
        var report = Report()
        if let begun = try await rescorings.begin(inForce, cause: .request, now: now()) {
            report.rescoring = begun.rescoring.id
            let outcome = try await work(begun.rescoring, rescorings, inForce, progress)
            report.scored = outcome.scored
            report.rows = outcome.rows
            report.damaged = outcome.damaged
        }
        report.sheets = try await rescorings.countSheets(inForce)
        return report
    }

    private func work(
        _ job: Rescoring, _ rescorings: Rescorings, _ inForce: ScoringInForce,
        _ progress: @Sendable (Int) -> Void
    ) async throws -> RescoringRun.Outcome {
        while true {
            let claimed = try await rescorings.claim(
                job.id, now: now(), leaseUntil: now().adding(seconds: RescoringRun.leaseSeconds),
                settlesBefore: .maximum)
            if let claimed {
                return try await RescoringRun(pool: pool, inForce: inForce, now: now).run(claimed) {
                    progress($0.scored)
                }
            }
            guard let current = try await rescorings.find(job.id, study: job.study),
                current.state == .queued || current.state == .running
            else { return .nothing }
            progress(current.sheetsSeen)
            try await Task.sleep(for: .seconds(1))
        }
    }

    /// The newest job of a study with what it changed; nil where there was none.
    package func lastReport(study: String) async throws -> (rescoring: Rescoring, scales: [RescoredScale])? {
        let rescorings = Rescorings(pool: pool)
        guard let last = try await rescorings.list(study, before: nil, limit: 1).first else { return nil }
        return (last, try await rescorings.scales(of: last.id))
    }

    private func inForce(_ study: String) async throws -> ScoringInForce {
        let versions = try await pool.query(SQLFile.frame["dataset_versions"], [.text(study)])
        return try StudyDefinitions.read(study, rows: versions).scoringInForce
    }
}
