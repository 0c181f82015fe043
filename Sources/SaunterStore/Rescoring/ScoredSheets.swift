import Postgres
import SaunterCore

/// Scores of some sheets by one rule, on their way into the database.
struct ScoredSheets: Sendable {
    /// One sheet with its scores in the key's order.
    struct Entry: Sendable {
        let sheet: SheetToScore
        let scores: [Score]
        let covariates: String?
    }

    private(set) var entries: [Entry] = []
    /// Sheets whose stored answers do not fit their version; they are passed over. Names no answer.
    private(set) var damaged: [String] = []

    init(_ sheets: [SheetToScore], by scoring: RuleScoring, known: [SheetPlace: KnownCovariates]) {
        for sheet in sheets {
            do throws(StoredAnswersFault) {
                let result = try scoring.scores(of: sheet, known: known[sheet.place])
                entries.append(Entry(sheet: sheet, scores: result.scores, covariates: result.covariates))
            } catch {
                let answered = scoring.rule.answered
                damaged.append("\(answered.code) \(answered.version) sheet \(sheet.place.sheet): \(error)")
            }
        }
    }

    /// Adds what is not there.
    /// - Returns: how many rows were added or replaced.
    func put(by rule: ScoringRule, now: Instant, in transaction: Transaction) async throws -> Int {
        let rows = entries.flatMap { entry in entry.scores.map { (entry: entry, score: $0) } }
        guard !rows.isEmpty else { return 0 }
        return try await transaction.query(
            Statements.rescorings["put_scores"],
            [
                .uuids(rows.map(\.entry.sheet.place.enrolment)), .uuids(rows.map(\.entry.sheet.place.sheet)),
                .int4s(rows.map(\.entry.sheet.place.revision)), .texts(rows.map(\.entry.covariates)),
                .texts(rows.map(\.score.scale)), .float8s(rows.map(\.score.value)),
                .texts(rows.map { $0.score.reason?.rawValue }), .texts(rows.map(\.score.band)),
                .ints(rows.map(\.score.itemCount)), .ints(rows.map(\.score.answeredCount)),
                .ints(rows.map(\.score.imputedCount)), .texts(rows.map(\.score.exclusion)),
                .float8s(rows.map(\.score.standardError)), .text(rule.keyVersion), .text(rule.keyDigest),
                .text(Scoring.engineVersion), .instant(now),
            ]
        ).affected
    }
}
