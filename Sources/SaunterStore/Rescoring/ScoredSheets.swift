import Postgres
import SaunterCore

/// Scores of several sheets by one rule, to be stored.
struct ScoredSheets: Sendable {
    /// One sheet with its scores, in the order of the key.
    struct Entry: Sendable {
        let sheet: SheetToScore
        let scores: [Score]
        let covariates: String?
    }

    private(set) var entries: [Entry] = []
    /// Sheets whose stored answers do not fit their version. They are skipped. The text contains no answer.
    private(set) var damaged: [String] = []

    init(_ sheets: [SheetToScore], by scorer: RuleScorer, known: [SheetRevisionKey: KnownCovariates]) {
        for sheet in sheets {
            do throws(StoredAnswersFault) {
                let result = try scorer.scores(of: sheet, known: known[sheet.key])
                entries.append(Entry(sheet: sheet, scores: result.scores, covariates: result.covariates))
            } catch {
                let answered = scorer.rule.answered
                damaged.append("\(answered.code) \(answered.version) sheet \(sheet.key.sheet): \(error)")
            }
        }
    }

    /// Stores the scores that are missing or that were computed with other covariates.
    /// - Returns: the number of stored scores.
    func write(by rule: ScoringRule, now: Instant, in transaction: Transaction) async throws -> Int {
        guard !entries.isEmpty else { return 0 }
        var scores = ScoreColumns()
        for entry in entries {
            scores.append(
                entry.scores, keyVersion: rule.keyVersion, keyDigest: rule.keyDigest,
                covariates: entry.covariates, at: now)
        }
        let results = try await transaction.pipeline([
            scores.keyCall,
            (
                Statements.rescorings["put_scores"],
                [
                    "enrolment_ids": .uuids(entries.map(\.sheet.key.enrolment)),
                    "sheet_ids": .uuids(entries.map(\.sheet.key.sheet)),
                    "revisions": .int4s(entries.map(\.sheet.key.revision)),
                    "key_digest": .text(rule.keyDigest), "engine_version": .text(Scoring.engineVersion),
                ] + scores.parameters
            ),
        ])
        return try results[1].one().get("scores")
    }
}
