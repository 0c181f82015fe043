import Foundation
import Postgres
import SaunterCore

/// Works a re-scoring off, batch by batch. Each batch is one transaction: it adds scores, counts what they changed,
/// and moves the job's place on. Whoever is killed leaves a job that is taken up where the last commit left it, and
/// nothing is counted twice. Two that work at one job notice by its number of batches, and one stops.
package struct RescoringRun: Sendable {
    /// What came of working at a job.
    package struct Outcome: Sendable, Hashable {
        /// Sheets that lacked a score by the rules in force.
        package var scored = 0
        /// Scores that were added or replaced.
        package var rows = 0
        /// Sheets whose stored answers do not fit their version; they are passed over.
        package var damaged: [String] = []
        /// Whether all was looked at; false where another went on with the job, or it was given up.
        package var isComplete = false

        /// Of a job that somebody else has done.
        package static let nothing = Outcome()
    }

    /// How long a job belongs to whoever works at it, after a batch.
    package static let leaseSeconds = 60
    /// A sheet that is handed in while the rules change may be scored by the old ones for as long: requests do not
    /// last longer. Then it is looked for once more.
    package static let settlingSeconds = 120
    static let batchSize = 500

    let pool: Pool
    let inForce: ScoringInForce
    let now: @Sendable () -> Instant
    private let telling: TellingSheets

    /// - Parameter pool: under the role `saunter_research`.
    package init(pool: Pool, inForce: ScoringInForce, now: @escaping @Sendable () -> Instant) {
        self.pool = pool
        self.inForce = inForce
        self.now = now
        telling = TellingSheets(inForce)
    }

    /// Works a claimed job off.
    /// - Parameters:
    ///   - batchSize: sheets of one transaction.
    ///   - afterBatch: called after each commit with what was done so far; what it throws ends the work, and the job
    ///     waits until its lease is over.
    package func run(
        _ claimed: Rescoring, batchSize: Int = batchSize,
        afterBatch: (Outcome) async throws -> Void = { _ in }
    ) async throws -> Outcome {
        var job = claimed
        var outcome = Outcome()
        for place in inForce.rules.keys.sorted() where !(place < job.rule) {
            guard let rule = inForce.rules[place] else { continue }
            let scoring = RuleScoring(rule, takesEverything: job.state == .running)
            if job.rule != place {
                job.rule = place
                job.place = .beforeAll
            }
            while true {
                try Task.checkCancellation()
                guard let batch = try await batch(of: job, scoring, size: batchSize) else { return outcome }
                job.batches += 1
                outcome.rows += batch.rows
                outcome.scored += batch.sheets - batch.damaged.count
                outcome.damaged += batch.damaged
                try await afterBatch(outcome)
                guard let last = batch.last else { break }
                job.place = last
            }
        }
        outcome.isComplete = try await end(job)
        return outcome
    }

    /// Done; or settling, as long as a sheet could still be on its way.
    private func end(_ job: Rescoring) async throws -> Bool {
        let isSettled = now() >= job.requestedAt.adding(seconds: Self.settlingSeconds)
        return try await pool.query(
            Statements.rescorings["end_rescoring"],
            [
                .id(job.id), .int(job.batches),
                .text((isSettled ? Rescoring.State.done : .settling).rawValue), .instant(now()),
            ]
        ).affected == 1
    }

    private struct Batch {
        var sheets = 0
        var rows = 0
        var damaged: [String] = []
        /// Nil where the rule has no more sheets.
        var last: SheetPlace?
    }

    /// Nil where the job is somebody else's by now.
    private func batch(of job: Rescoring, _ scoring: RuleScoring, size: Int) async throws -> Batch? {
        try await pool.writeRetrying { transaction in
            let owned = try await transaction.query(
                Statements.rescorings["lock_rescoring"], [.id(job.id), .int(job.batches)])
            guard !owned.isEmpty else { return nil }
            let sheets = try await transaction.query(
                Statements.rescorings["list_sheets_to_score"],
                scoring.parameters(of: inForce.study) + [
                    .uuid(job.place.enrolment), .uuid(job.place.sheet), .int4(job.place.revision), .int(size),
                ]
            ).map { try SheetToScore($0) }
            var batch = Batch()
            batch.sheets = sheets.count
            batch.last = sheets.count < size ? nil : sheets.last?.place
            if !sheets.isEmpty {
                let scored = ScoredSheets(
                    sheets, by: scoring, known: try await known(sheets, scoring.rule, transaction))
                batch.damaged = scored.damaged
                let comparison = try await compare(scored, scoring.rule, job.state, in: transaction)
                batch.rows = try await scored.put(by: scoring.rule, now: now(), in: transaction)
                try await note(comparison, of: job, scoring.rule, in: transaction)
            }
            let place = sheets.last?.place ?? job.place
            _ = try await transaction.query(
                Statements.rescorings["advance_rescoring"],
                [
                    .id(job.id), .text(job.rule.questionnaire), .text(job.rule.version),
                    .uuid(place.enrolment),
                    .uuid(place.sheet), .int4(place.revision), .int8(Int64(batch.sheets)),
                    .int8(Int64(batch.rows)), .int8(Int64(batch.damaged.count)),
                    .instant(now().adding(seconds: Self.leaseSeconds)),
                ])
            return batch
        }
    }

    /// What the key asks for; nobody else scores these people by it meanwhile.
    private func known(
        _ sheets: [SheetToScore], _ rule: ScoringRule, _ transaction: Transaction
    ) async throws -> [SheetPlace: KnownCovariates] {
        guard !rule.covariates.isEmpty else { return [:] }
        let people = Set(sheets.map(\.place.enrolment))
        _ = try await transaction.query(
            Statements.rescorings["lock_people"], [.uuids(Array(people))])
        return try await telling.known(for: sheets, in: transaction)
    }

    private func compare(
        _ scored: ScoredSheets, _ rule: ScoringRule, _ state: Rescoring.State, in transaction: Transaction
    ) async throws -> ScoreComparison {
        let entries = scored.entries.filter(\.sheet.counts)
        let rows = try await transaction.query(
            Statements.rescorings["list_previous_scores"],
            [
                .uuids(entries.map(\.sheet.place.enrolment)), .uuids(entries.map(\.sheet.place.sheet)),
                .int4s(entries.map(\.sheet.place.revision)), .text(rule.keyDigest),
                .text(Scoring.engineVersion),
            ])
        var previous = Array(repeating: [String: ScoreComparison.Previous](), count: entries.count)
        for row in rows {
            let place: Int = try row.get("place")
            guard previous.indices.contains(place - 1) else { continue }
            previous[place - 1][try row.get("scale")] = ScoreComparison.Previous(
                value: try row.getOptional("value"), band: try row.getOptional("band"))
        }
        var comparison = ScoreComparison()
        for (entry, previous) in zip(entries, previous) {
            comparison.add(entry.scores, previous: previous, passesOverSame: state == .settling)
        }
        return comparison
    }

    private func note(
        _ comparison: ScoreComparison, of job: Rescoring, _ rule: ScoringRule, in transaction: Transaction
    ) async throws {
        guard !comparison.scales.isEmpty else { return }
        let scales = comparison.scales.sorted { $0.key < $1.key }
        let counts = scales.map(\.value)
        func numbers(_ path: KeyPath<RescoredScale.Counts, Int>) -> Parameter {
            .int8s(counts.map { Int64($0[keyPath: path]) })
        }
        let version: [Parameter] = [
            .id(job.id), .text(rule.answered.code), .text(rule.answered.version),
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
                    .text(rule.keyVersion), .text(rule.keyDigest), .texts(scales.map(\.key)),
                    numbers(\.sheets),
                    numbers(\.firstScores), numbers(\.unchanged), numbers(\.changed), numbers(\.becameNull),
                    numbers(\.gainedValue), numbers(\.bandMoves), numbers(\.compared),
                    .float8s(counts.map(\.totalChange)), .float8s(counts.map(\.greatestChange)),
                ]
            ),
            (
                Statements.rescorings["add_rescoring_moves"],
                version + [
                    .texts(moves.map(\.key.scale)), .texts(moves.map { $0.key.from ?? "" }),
                    .texts(moves.map { $0.key.to ?? "" }), .int8s(moves.map { Int64($0.value) }),
                ]
            ),
        ])
    }
}
