import Foundation
import Postgres
import SaunterCore

/// Creates, claims, ends and lists the rescoring jobs of studies.
package struct RescoringRepository: Sendable {
    /// Has the role `saunter_research`. For reading, any role that can read research data is sufficient.
    let pool: Pool

    /// Creates a repository that uses this pool.
    package init(pool: Pool) {
        self.pool = pool
    }

    /// Stored sheets of one version that newer keys affect, before they are scored.
    package struct AffectedVersion: Sendable, Hashable {
        /// The code of the questionnaire.
        package let questionnaire: String
        /// The answered version.
        package let version: String
        /// The version that contains the active key.
        package let keyedBy: String
        /// The version of the active key.
        package let keyVersion: String
        /// SHA-256 of the active key, in hexadecimal digits.
        package let keyDigest: String
        /// The number of sheets, with every revision counted.
        package let sheets: Int
    }

    /// Creates a rescoring job if the active keys affect stored sheets, and supersedes an unfinished job of other keys.
    /// - Returns: the unfinished job for these keys, and what it affects; nil if there is nothing to score.
    package func begin(
        _ activeKeys: ActiveScoringKeys, cause: Rescoring.Cause, now: Instant
    ) async throws -> (rescoring: Rescoring, affected: [AffectedVersion])? {
        let digest = activeKeys.digest
        return try await pool.writeRetrying(idempotent: true) { transaction in
            _ = try await transaction.pipeline([
                (Statements.rescorings["disable_statement_timeout"], []),
                (Statements.studies["lock_study"], ["study": .text(activeKeys.study)]),
            ])
            let last = try await Self.last(of: activeKeys.study, in: transaction)
            let isSame = last?.rulesDigest == digest
            let affected = try await Self.affected(
                activeKeys, includesAllSheets: !isSame || last?.state == .failed, in: transaction)
            if let last, isSame, last.state.isUnfinished { return (last, affected) }
            guard !affected.isEmpty else { return nil }
            _ = try await transaction.query(
                Statements.rescorings["supersede_rescorings"],
                ["study": .text(activeKeys.study), "now": .instant(now)])
            let id = RescoringID(UUID())
            let isNewEngine = last.map { $0.engineVersion != Scoring.engineVersion } ?? (cause == .engine)
            let actualCause: Rescoring.Cause = isNewEngine ? .engine : cause == .engine ? .publication : cause
            _ = try await transaction.query(
                Statements.rescorings["insert_rescoring"],
                [
                    "rescoring_id": .id(id), "study": .text(activeKeys.study),
                    "study_version": .text(activeKeys.liveVersion), "rules_digest": .text(digest),
                    "engine_version": .text(Scoring.engineVersion), "cause": .text(actualCause.rawValue),
                    "sheets_total": .int8(Int64(affected.reduce(0) { $0 + $1.sheets })), "now": .instant(now),
                ])
            let begun = try await transaction.query(
                Statements.rescorings["find_rescoring"],
                ["study": .text(activeKeys.study), "rescoring_id": .id(id)])
            return (try Rescoring(begun.one()), affected)
        }
    }

    /// What `begin` would affect with these keys. Writes nothing.
    package func listAffected(by activeKeys: ActiveScoringKeys) async throws -> [AffectedVersion] {
        try await pool.read(isolation: .repeatableRead) { transaction in
            _ = try await transaction.query(Statements.rescorings["disable_statement_timeout"])
            let last = try await Self.last(of: activeKeys.study, in: transaction)
            return try await Self.affected(
                activeKeys,
                includesAllSheets: last?.rulesDigest != activeKeys.digest || last?.state == .failed,
                in: transaction)
        }
    }

    /// The newest job that was not superseded.
    private static func last(of study: String, in transaction: Transaction) async throws -> Rescoring? {
        try await transaction.query(Statements.rescorings["find_last_rescoring"], ["study": .text(study)])
            .oneOrNone()
            .map { try Rescoring($0) }
    }

    /// The affected versions, with the number of their sheets.
    private static func affected(
        _ activeKeys: ActiveScoringKeys, includesAllSheets: Bool, in transaction: Transaction
    ) async throws -> [AffectedVersion] {
        var affected: [AffectedVersion] = []
        for (version, rule) in activeKeys.rules.sorted(by: { $0.key < $1.key }) {
            let sheets: Int = try await transaction.query(
                Statements.rescorings["count_sheets_to_score"],
                RuleScorer(rule, includesAllSheets: includesAllSheets).parameters(of: activeKeys.study)
            ).one().get("sheets")
            guard sheets > 0 else { continue }
            affected.append(
                AffectedVersion(
                    questionnaire: version.questionnaire, version: version.version,
                    keyedBy: rule.keyed.version,
                    keyVersion: rule.keyVersion, keyDigest: rule.keyDigest, sheets: sheets))
        }
        return affected
    }

    /// Claims the next job of this engine version that has no worker, or the named one. It belongs to the caller until
    /// the lease ends.
    /// - Parameter settlesBefore: a settling job is claimed only if it was created before this instant.
    package func claim(
        _ id: RescoringID? = nil, now: Instant, leaseUntil: Instant, settlesBefore: Instant
    ) async throws -> Rescoring? {
        try await pool.query(
            Statements.rescorings["claim_rescoring"],
            [
                "now": .instant(now), "lease_until": .instant(leaseUntil),
                "settles_before": .instant(settlesBefore), "rescoring_id": .id(id),
                "engine_version": .text(Scoring.engineVersion),
            ]
        ).oneOrNone().map { try Rescoring($0) }
    }

    /// Supersedes a job whose keys are no longer active, and creates a job for the active keys if there is something to
    /// score.
    package func supersede(_ job: Rescoring, for activeKeys: ActiveScoringKeys, now: Instant) async throws {
        _ = try await pool.query(
            Statements.rescorings["supersede_rescorings"], ["study": .text(job.study), "now": .instant(now)])
        _ = try await begin(activeKeys, cause: .publication, now: now)
    }

    /// Marks a job as failed.
    package func fail(_ job: Rescoring, _ failure: String, now: Instant) async throws {
        _ = try await pool.query(
            Statements.rescorings["fail_rescoring"],
            ["rescoring_id": .id(job.id), "now": .instant(now), "failure": .text(failure)])
    }

    /// Jobs of a study, the newest first. Superseded jobs are included.
    /// - Parameter before: the cursor, which is the last job of the previous page; nil for the first page.
    package func list(
        _ study: String, before: (requestedAt: Instant, id: RescoringID)?, limit: Int
    ) async throws -> [Rescoring] {
        try await pool.query(
            Statements.rescorings["list_rescorings"],
            [
                "study": .text(study), "before": .instant(before?.requestedAt ?? .maximum),
                "before_id": .uuid(before?.id.uuid ?? .last),
                "limit_rows": .int(limit),
            ]
        ).map { try Rescoring($0) }
    }

    /// One job of a study, or nil.
    package func find(_ id: RescoringID, study: String) async throws -> Rescoring? {
        try await pool.query(
            Statements.rescorings["find_rescoring"], ["study": .text(study), "rescoring_id": .id(id)]
        ).oneOrNone()
            .map { try Rescoring($0) }
    }

    /// The number of sheets of the study, all revisions, that a key scores.
    package func countSheets(_ activeKeys: ActiveScoringKeys) async throws -> Int {
        let versions = activeKeys.rules.keys.sorted()
        return try await pool.query(
            Statements.rescorings["count_scorable_sheets"],
            [
                "study": .text(activeKeys.study), "questionnaires": .texts(versions.map(\.questionnaire)),
                "versions": .texts(versions.map(\.version)),
            ]
        ).one().get("sheets")
    }

    /// The changes of a job so far, by questionnaire, version and scale.
    package func listScales(of id: RescoringID) async throws -> [RescoredScale] {
        let results = try await pool.pipeline([
            (Statements.rescorings["list_rescoring_scales"], ["rescoring_id": .id(id)]),
            (Statements.rescorings["list_rescoring_moves"], ["rescoring_id": .id(id)]),
        ])
        var moves: [[String]: [RescoredScale.CountedMove]] = [:]
        for row in results[1] {
            let key: [String] = [
                try row.get("questionnaire"), try row.get("version"), try row.get("scale"),
            ]
            moves[key, default: []].append(try RescoredScale.CountedMove(row))
        }
        return try results[0].map { row in
            try RescoredScale(row) { moves[$0] ?? [] }
        }
    }
}

extension RescoredScale {
    fileprivate init(_ row: Row, moves: ([String]) -> [CountedMove]) throws {
        questionnaire = try row.get("questionnaire")
        version = try row.get("version")
        scale = try row.get("scale")
        keyVersion = try row.get("key_version")
        keyDigest = try row.get("key_digest")
        var counts = Counts()
        counts.sheets = try row.get("sheets")
        counts.firstScores = try row.get("first_scores")
        counts.unchanged = try row.get("unchanged")
        counts.changed = try row.get("changed")
        counts.becameNull = try row.get("became_null")
        counts.gainedValue = try row.get("gained_value")
        counts.bandMoves = try row.get("band_moves")
        counts.compared = try row.get("compared")
        counts.totalChange = try row.get("total_change")
        counts.greatestChange = try row.get("greatest_change")
        self.counts = counts
        self.moves = moves([questionnaire, version, scale])
    }
}

extension RescoredScale.CountedMove {
    fileprivate init(_ row: Row) throws {
        func band(_ column: String) throws -> String? {
            let band: String = try row.get(column)
            return band.isEmpty ? nil : band
        }
        move = RescoredScale.Move(
            scale: try row.get("scale"), from: try band("band_from"), to: try band("band_to"))
        sheets = try row.get("sheets")
    }
}
