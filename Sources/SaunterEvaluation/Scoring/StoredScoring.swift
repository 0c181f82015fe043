import Foundation
import Postgres
import SaunterCore

/// Scores stored sheets again by the key of the version that each was answered under, and adds the rows that
/// are missing. Rows by another key or engine stay: a score is known by what computed it.
package struct StoredScoring: Sendable {
    /// What came of it.
    package struct Report: Sendable, Hashable {
        /// Sheets of the study that have a scoring key, all revisions.
        package var sheets = 0
        /// Of these, sheets that lacked a score.
        package var scored = 0
        /// Rows that were added.
        package var rows = 0
        /// Sheets whose stored answers do not fit their version; they are passed over.
        package var damaged: [String] = []

        package var json: JSON {
            [
                "sheets": .int(sheets), "scored": .int(scored), "rows_added": .int(rows),
                "damaged": .array(damaged.map(JSON.string)),
            ]
        }
    }

    private static let batchSize = 500

    let pool: Pool

    /// - Parameter pool: under the role `saunter_research`.
    package init(pool: Pool) {
        self.pool = pool
    }

    /// Safe to run at any time and again: each batch is a transaction, and what is there already is left
    /// alone.
    /// - Parameter progress: called after each batch with the sheets seen so far that lacked a score.
    /// - Throws: `DatasetFault.unknownStudy` and `.unreadableVersion`, `DatabaseError`.
    package func run(study: String, progress: @Sendable (Int) -> Void = { _ in }) async throws -> Report {
        let versions = try await pool.query(SQLFile.frame["dataset_versions"], [.text(study)])
        let definitions = try StudyDefinitions.read(study, rows: versions)
        var report = Report()
        for instrument in definitions.instruments {
            for questionnaire in instrument.versions {
                guard let key = questionnaire.scoring, !key.scales.isEmpty else { continue }
                try await run(
                    ScoredVersion(study: study, questionnaire: questionnaire, key: key), &report, progress)
            }
        }
        let scored = definitions.instruments.filter { $0.versions.contains { $0.scoring != nil } }.map(\.code)
        report.sheets = try await pool.query(
            SQLFile.storedScoring["count_scorable_sheets"], [.text(study), .texts(scored)]
        ).one().get("sheets")
        return report
    }

    private func run(_ version: ScoredVersion, _ report: inout Report, _ progress: @Sendable (Int) -> Void)
        async throws
    {
        var after = SheetPlace.beforeAll
        while true {
            let rows = try await pool.query(
                SQLFile.storedScoring["list_unscored_sheets"],
                version.parameters(after: after, limit: Self.batchSize))
            guard let last = rows.last else { return }
            after = try SheetPlace(last)
            var batch = ScoreBatch()
            let damaged = report.damaged.count
            for row in rows {
                let place = try SheetPlace(row)
                do throws(StoredAnswersFault) {
                    batch.add(try version.scores(row), of: place)
                } catch {
                    report.damaged.append(
                        "\(version.questionnaire.code) \(version.questionnaire.version) sheet \(place.sheet): \(error)"
                    )
                }
            }
            report.rows += try await insert(batch, version)
            report.scored += rows.count - (report.damaged.count - damaged)
            progress(report.scored)
        }
    }

    private func insert(_ batch: ScoreBatch, _ version: ScoredVersion) async throws -> Int {
        guard !batch.isEmpty else { return 0 }
        return try await pool.query(
            SQLFile.storedScoring["insert_missing_scores"],
            batch.parameters + [
                .text(version.key.version), .text(version.digest), .text(Scoring.engineVersion),
            ]
        ).affected
    }
}
