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

    /// Inserts the missing scores and replaces those whose covariates have changed.
    /// - Returns: the number of inserted and replaced rows.
    func write(by rule: ScoringRule, now: Instant, in transaction: Transaction) async throws -> Int {
        let rows = entries.flatMap { entry in entry.scores.map { (entry: entry, score: $0) } }
        guard !rows.isEmpty else { return 0 }
        return try await transaction.query(
            Statements.rescorings["put_scores"],
            [
                "enrolment_ids": .uuids(rows.map(\.entry.sheet.key.enrolment)),
                "sheet_ids": .uuids(rows.map(\.entry.sheet.key.sheet)),
                "revisions": .int4s(rows.map(\.entry.sheet.key.revision)),
                "covariates": .texts(rows.map(\.entry.covariates)),
                "scales": .texts(rows.map(\.score.scale)), "scale_values": .float8s(rows.map(\.score.value)),
                "reasons": .texts(rows.map { $0.score.reason?.rawValue }),
                "bands": .texts(rows.map(\.score.band)),
                "item_counts": .ints(rows.map(\.score.itemCount)),
                "answered_counts": .ints(rows.map(\.score.answeredCount)),
                "imputed_counts": .ints(rows.map(\.score.imputedCount)),
                "exclusions": .texts(rows.map(\.score.exclusion)),
                "standard_errors": .float8s(rows.map(\.score.standardError)),
                "key_version": .text(rule.keyVersion), "key_digest": .text(rule.keyDigest),
                "engine_version": .text(Scoring.engineVersion), "now": .instant(now),
            ]
        ).affected
    }
}
