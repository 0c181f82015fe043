import Foundation
import Postgres
import SaunterCore
import SaunterStore

/// Computes the missing scores of a study with the active scoring keys. Scores of other keys or engine versions are
/// kept, because a score is identified by the key and the engine version that computed it.
package struct StudyRescoring: Sendable {
    /// The result of a run.
    package struct Report: Sendable, Hashable {
        /// The number of sheets of the study for which a scoring key exists, counting all revisions.
        package var sheets = 0
        /// The number of these sheets that had no score.
        package var scored = 0
        /// The number of scores that were added.
        package var rows = 0
        /// The ids of the sheets whose stored answers do not fit their version. They are skipped.
        package var damaged: [String] = []
        /// The job that computed the scores. Nil if no score was missing.
        package var rescoring: RescoringID?

        /// The report as JSON, for the command line.
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
    ///   - pool: connections of the role `saunter_research`.
    ///   - now: returns the current time; the default is the clock of this machine.
    package init(pool: Pool, now: @escaping @Sendable () -> Instant = StudyRescoring.clock) {
        self.pool = pool
        self.now = now
    }

    /// The clock of this machine.
    package static let clock: @Sendable () -> Instant = {
        Instant(milliseconds: Int64((Date().timeIntervalSince1970 * 1000).rounded(.down)))
    }

    /// Computes the missing scores. Existing scores are not changed, so the call can be repeated. If a server already
    /// runs the job, the call waits for its end.
    /// - Parameter progress: called after each batch with the number of sheets scored so far.
    /// - Throws: `DatasetFault.unknownStudy`, `DatasetFault.unreadableVersion`, `DatabaseError`.
    package func run(study: String, progress: @Sendable (Int) -> Void = { _ in }) async throws -> Report {
        let activeKeys = try await activeKeys(study)
        let rescorings = RescoringRepository(pool: pool)
        var report = Report()
        if let begun = try await rescorings.begin(activeKeys, cause: .request, now: now()) {
            report.rescoring = begun.rescoring.id
            let outcome = try await work(begun.rescoring, rescorings, activeKeys, progress)
            report.scored = outcome.scored
            report.rows = outcome.rows
            report.damaged = outcome.damaged
        }
        report.sheets = try await rescorings.countSheets(activeKeys)
        return report
    }

    private func work(
        _ job: Rescoring, _ rescorings: RescoringRepository, _ activeKeys: ActiveScoringKeys,
        _ progress: @Sendable (Int) -> Void
    ) async throws -> RescoringRun.Outcome {
        while true {
            let claimed = try await rescorings.claim(
                job.id, now: now(), leaseUntil: now().adding(seconds: RescoringRun.leaseSeconds),
                settlesBefore: .maximum)
            if let claimed {
                return try await RescoringRun(pool: pool, activeKeys: activeKeys, now: now).run(claimed) {
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

    /// The newest rescoring job of a study with the changes per scale. Nil if there was none.
    package func lastReport(study: String) async throws -> (rescoring: Rescoring, scales: [RescoredScale])? {
        let rescorings = RescoringRepository(pool: pool)
        guard let last = try await rescorings.list(study, before: nil, limit: 1).first else { return nil }
        return (last, try await rescorings.listScales(of: last.id))
    }

    private func activeKeys(_ study: String) async throws -> ActiveScoringKeys {
        let versions = try await pool.query(SQLFile.frame["dataset_versions"], ["study": .text(study)])
        return try StudyDefinitions.read(study, rows: versions).activeScoringKeys
    }
}
