import Foundation
import Postgres
import SaunterCore

/// Processes a rescoring job in batches. Each batch is one transaction: it adds scores, counts what they changed, and
/// stores the position. If a worker dies, another worker continues after the last committed batch, and nothing is
/// counted twice. If two workers process the same job, one of them detects it by the number of batches and stops.
package struct RescoringRun: Sendable {
    /// What a worker did in one job.
    package struct Outcome: Sendable, Hashable {
        /// The number of sheets that lacked a score by the active keys.
        package var scored = 0
        /// The number of scores that were added or replaced.
        package var rows = 0
        /// Sheets whose stored answers do not fit their version. They are skipped.
        package var damaged: [String] = []
        /// Whether all sheets were checked. False if another worker continued the job, or it was superseded.
        package var isComplete = false

        /// The outcome if another worker has finished the job.
        package static let nothing = Outcome()
    }

    /// How long after a batch the job belongs to its worker, in seconds.
    package static let leaseSeconds = 60
    /// No request lasts longer than this many seconds. After that time, no sheet that was submitted while the keys
    /// changed can still be stored with scores of the old keys. The job then looks for such sheets once more.
    package static let settlingSeconds = 120
    static let batchSize = 500

    let pool: Pool
    let activeKeys: ActiveScoringKeys
    let now: @Sendable () -> Instant
    private let sourceSheets: CovariateSourceSheets

    /// - Parameter pool: with the role `saunter_research`.
    package init(pool: Pool, activeKeys: ActiveScoringKeys, now: @escaping @Sendable () -> Instant) {
        self.pool = pool
        self.activeKeys = activeKeys
        self.now = now
        sourceSheets = CovariateSourceSheets(activeKeys)
    }

    /// Processes a claimed job.
    /// - Parameters:
    ///   - batchSize: sheets in one transaction.
    ///   - afterBatch: called after each commit with the outcome so far. If it throws, the run ends and the job waits
    ///     until its lease expires.
    package func run(
        _ claimed: Rescoring, batchSize: Int = batchSize,
        afterBatch: (Outcome) async throws -> Void = { _ in }
    ) async throws -> Outcome {
        var job = claimed
        var outcome = Outcome()
        for version in activeKeys.rules.keys.sorted() where !(version < job.rule) {
            guard let rule = activeKeys.rules[version] else { continue }
            let scorer = RuleScorer(rule, includesAllSheets: job.state == .running)
            if job.rule != version {
                job.rule = version
                job.position = .start
            }
            while true {
                try Task.checkCancellation()
                guard let batch = try await processBatch(of: job, scorer, size: batchSize) else {
                    return outcome
                }
                job.batches += 1
                outcome.rows += batch.rows
                outcome.scored += batch.sheets - batch.damaged.count
                outcome.damaged += batch.damaged
                try await afterBatch(outcome)
                guard let last = batch.last else { break }
                job.position = last
            }
        }
        outcome.isComplete = try await end(job)
        return outcome
    }

    /// Ends the job as done, or as settling while a sheet of the old keys could still be stored.
    private func end(_ job: Rescoring) async throws -> Bool {
        let isSettled = now() >= job.requestedAt.adding(seconds: Self.settlingSeconds)
        return try await pool.query(
            Statements.rescorings["end_rescoring"],
            [
                "rescoring_id": .id(job.id), "batches": .int(job.batches),
                "state": .text((isSettled ? Rescoring.State.done : .settling).rawValue),
                "now": .instant(now()),
            ]
        ).affected == 1
    }

    private struct Batch {
        var sheets = 0
        var rows = 0
        var damaged: [String] = []
        /// Nil if the key has no more sheets.
        var last: SheetRevisionKey?
    }

    /// Scores the next sheets and stores the position. Returns nil if the job belongs to another worker.
    private func processBatch(of job: Rescoring, _ scorer: RuleScorer, size: Int) async throws -> Batch? {
        // Before the transaction: a sheet that is submitted meanwhile must not wait for the key.
        let (statement, keys) = ScoreColumns(keyOf: scorer.rule).keyCall
        _ = try await pool.query(statement, keys)
        return try await pool.writeRetrying { transaction in
            let owned = try await transaction.query(
                Statements.rescorings["lock_rescoring"],
                ["rescoring_id": .id(job.id), "batches": .int(job.batches)])
            guard !owned.isEmpty else { return nil }
            let sheets = try await transaction.query(
                Statements.rescorings["list_sheets_to_score"],
                scorer.parameters(of: activeKeys.study) + [
                    "after_enrolment": .uuid(job.position.enrolment),
                    "after_sheet": .uuid(job.position.sheet),
                    "after_revision": .int4(job.position.revision), "limit_rows": .int(size),
                ]
            ).map { try SheetToScore($0) }
            var batch = Batch()
            batch.sheets = sheets.count
            batch.last = sheets.count < size ? nil : sheets.last?.key
            if !sheets.isEmpty {
                let known = try await knownCovariates(for: sheets, scorer.rule, in: transaction)
                let scored = ScoredSheets(sheets, by: scorer, known: known)
                batch.damaged = scored.damaged
                let comparison = try await compare(scored, scorer.rule, job.state, in: transaction)
                batch.rows = try await scored.write(by: scorer.rule, now: now(), in: transaction)
                try await record(comparison, of: job, scorer.rule, in: transaction)
            }
            let position = sheets.last?.key ?? job.position
            _ = try await transaction.query(
                Statements.rescorings["advance_rescoring"],
                [
                    "rescoring_id": .id(job.id), "questionnaire": .text(job.rule.questionnaire),
                    "version": .text(job.rule.version),
                    "at_enrolment": .uuid(position.enrolment),
                    "at_sheet": .uuid(position.sheet), "at_revision": .int4(position.revision),
                    "seen": .int8(Int64(batch.sheets)),
                    "added": .int8(Int64(batch.rows)), "damaged": .int8(Int64(batch.damaged.count)),
                    "lease_until": .instant(now().adding(seconds: Self.leaseSeconds)),
                ])
            return batch
        }
    }

    /// The covariates that the key needs. Locks the participants against an erasure; and if the key needs covariates,
    /// against other workers that score their sheets.
    private func knownCovariates(
        for sheets: [SheetToScore], _ rule: ScoringRule, in transaction: Transaction
    ) async throws -> [SheetRevisionKey: KnownCovariates] {
        let lock = rule.covariates.isEmpty ? "keep_enrolments" : "lock_enrolments"
        let enrolments = Set(sheets.map(\.key.enrolment))
        _ = try await transaction.query(
            Statements.enrolments[lock], ["enrolment_ids": .uuids(Array(enrolments))])
        guard !rule.covariates.isEmpty else { return [:] }
        return try await sourceSheets.known(for: sheets, in: transaction)
    }

    /// Compares the new scores with the newest stored ones.
    private func compare(
        _ scored: ScoredSheets, _ rule: ScoringRule, _ state: Rescoring.State, in transaction: Transaction
    ) async throws -> ScoreComparison {
        let entries = scored.entries.filter(\.sheet.counts)
        let rows = try await transaction.query(
            Statements.rescorings["list_previous_scores"],
            [
                "enrolment_ids": .uuids(entries.map(\.sheet.key.enrolment)),
                "sheet_ids": .uuids(entries.map(\.sheet.key.sheet)),
                "revisions": .int4s(entries.map(\.sheet.key.revision)), "key_digest": .text(rule.keyDigest),
                "engine_version": .text(Scoring.engineVersion),
            ])
        var previous = Array(repeating: [String: ScoreComparison.Previous](), count: entries.count)
        for row in rows {
            let position: Int = try row.get("ordinal")
            guard previous.indices.contains(position - 1) else { continue }
            previous[position - 1][try row.get("scale")] = ScoreComparison.Previous(
                value: try row.getOptional("value"), band: try row.getOptional("band"))
        }
        var comparison = ScoreComparison()
        for (entry, previous) in zip(entries, previous) {
            comparison.add(entry.scores, previous: previous, skipsUnchanged: state == .settling)
        }
        return comparison
    }

    /// Adds the counts and band moves to those of the job.
    private func record(
        _ comparison: ScoreComparison, of job: Rescoring, _ rule: ScoringRule, in transaction: Transaction
    ) async throws {
        guard !comparison.scales.isEmpty else { return }
        let scales = comparison.scales.sorted { $0.key < $1.key }
        let counts = scales.map(\.value)
        func numbers(_ path: KeyPath<RescoredScale.Counts, Int>) -> Parameter {
            .int8s(counts.map { Int64($0[keyPath: path]) })
        }
        let version: Arguments = [
            "rescoring_id": .id(job.id), "questionnaire": .text(rule.answered.code),
            "version": .text(rule.answered.version),
        ]
        let moves = comparison.moves.sorted {
            ($0.key.scale, $0.key.from ?? "", $0.key.to ?? "") < (
                $1.key.scale, $1.key.from ?? "", $1.key.to ?? ""
            )
        }
        _ = try await transaction.pipeline([
            (
                Statements.rescorings["add_rescoring_scales"],
                version + [
                    "key_version": .text(rule.keyVersion), "key_digest": .text(rule.keyDigest),
                    "scales": .texts(scales.map(\.key)),
                    "sheets": numbers(\.sheets),
                    "first_scores": numbers(\.firstScores), "unchanged": numbers(\.unchanged),
                    "changed": numbers(\.changed), "became_null": numbers(\.becameNull),
                    "gained_value": numbers(\.gainedValue), "band_moves": numbers(\.bandMoves),
                    "compared": numbers(\.compared),
                    "total_change": .float8s(counts.map(\.totalChange)),
                    "greatest_change": .float8s(counts.map(\.greatestChange)),
                ]
            ),
            (
                Statements.rescorings["add_rescoring_moves"],
                version + [
                    "scales": .texts(moves.map(\.key.scale)),
                    "bands_from": .texts(moves.map { $0.key.from ?? "" }),
                    "bands_to": .texts(moves.map { $0.key.to ?? "" }),
                    "sheets": .int8s(moves.map { Int64($0.value) }),
                ]
            ),
        ])
    }
}
