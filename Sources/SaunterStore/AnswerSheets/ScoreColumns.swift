import Crypto
import Foundation
import Postgres
import SaunterCore

/// The scores of several sheets as columns of `answer_sheet` or `rescored_sheet`: one row per sheet, and one array per
/// property in the order of the scales of the key. Also the keys, as rows of `scoring_key`.
struct ScoreColumns {
    /// A row of `scoring_key`.
    private struct Key {
        var id: UUID
        var version: String
        var digest: String
        var scales: [String]

        init(version: String, digest: String, scales: [String]) {
            self.version = version
            self.digest = digest
            self.scales = scales
            var hash = SHA256()
            for part in [version, digest, Scoring.engineVersion] + scales {
                hash.update(data: Data(part.utf8))
                hash.update(data: [0])
            }
            let bytes = Array(hash.finalize().prefix(16))
            id = bytes.withUnsafeBytes { UUID(uuid: $0.load(as: uuid_t.self)) }
        }
    }

    /// The scores of one sheet. The lists are array literals.
    private struct Row {
        var key: UUID
        var instant: Instant
        var covariates: String?
        var values: String
        var reasons: String?
        var bands: String?
        var counts: String
        var exclusions: String?
        var errors: String?
    }

    private var keys: [Key] = []
    /// One element per sheet; nil for a sheet without scores.
    private var rows: [Row?] = []

    init() {}

    /// No sheets, and the key of a rule.
    init(keyOf rule: ScoringRule) {
        keys = [Key(version: rule.keyVersion, digest: rule.keyDigest, scales: rule.scales)]
    }

    /// Adds a sheet.
    /// - Parameters:
    ///   - scores: all scores by the key, in its order; empty if the sheet has none.
    ///   - keyVersion: nil if and only if there are no scores, and so is `keyDigest`.
    mutating func append(
        _ scores: [Score], keyVersion: String?, keyDigest: String?, covariates: String?, at instant: Instant
    ) {
        guard let keyVersion, let keyDigest, !scores.isEmpty else {
            rows.append(nil)
            return
        }
        let hasErrors = scores.contains { $0.standardError != nil }
        rows.append(
            Row(
                key: keyID(of: scores, version: keyVersion, digest: keyDigest), instant: instant,
                covariates: covariates, values: ArrayLiteral.numbers(scores.map(\.value)),
                reasons: ArrayLiteral.textsIfAny(scores.map { $0.reason?.rawValue }),
                bands: ArrayLiteral.textsIfAny(scores.map(\.band)),
                counts: ArrayLiteral.numbers(
                    scores.flatMap {
                        [Int16($0.itemCount), Int16($0.answeredCount), Int16($0.imputedCount)]
                    }),
                exclusions: ArrayLiteral.textsIfAny(scores.map(\.exclusion)),
                errors: hasErrors ? ArrayLiteral.numbers(scores.map(\.standardError)) : nil))
    }

    private mutating func keyID(of scores: [Score], version: String, digest: String) -> UUID {
        let known = keys.first { key in
            key.digest == digest && key.version == version
                && key.scales.elementsEqual(scores.lazy.map(\.scale))
        }
        if let known { return known.id }
        let key = Key(version: version, digest: digest, scales: scores.map(\.scale))
        keys.append(key)
        return key.id
    }

    /// The arguments of `put_scoring_keys`.
    var keyParameters: Arguments {
        [
            "new_key_ids": .uuids(keys.map(\.id)), "new_key_versions": .texts(keys.map(\.version)),
            "new_key_digests": .texts(keys.map(\.digest)),
            "new_engine_versions": .texts(keys.map { _ in Scoring.engineVersion }),
            "new_scale_lists": .texts(keys.map { ArrayLiteral.texts($0.scales) }),
        ]
    }

    /// The arguments that statements with scores share.
    var parameters: Arguments {
        [
            "key_ids": .uuids(rows.map { $0?.key }), "scored_ats": .instants(rows.map { $0?.instant }),
            "covariates": .texts(rows.map { $0?.covariates }),
            "score_value_lists": .texts(rows.map { $0?.values }),
            "score_reason_lists": .texts(rows.map { $0?.reasons }),
            "score_band_lists": .texts(rows.map { $0?.bands }),
            "score_count_lists": .texts(rows.map { $0?.counts }),
            "score_exclusion_lists": .texts(rows.map { $0?.exclusions }),
            "score_error_lists": .texts(rows.map { $0?.errors }),
        ]
    }

    /// The call that stores the keys. It precedes the statements that store scores.
    var keyCall: (Statement, Arguments) { (Statements.rescorings["put_scoring_keys"], keyParameters) }
}
