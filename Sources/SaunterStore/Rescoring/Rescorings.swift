import Foundation
import Postgres
import SaunterCore

/// The re-scorings of studies: begun, taken up, read.
package struct Rescorings: Sendable {
    /// Under the role `saunter_research`; reading alone goes under any that may read research data.
    let pool: Pool

    package init(pool: Pool) {
        self.pool = pool
    }

    /// What new rules would touch, before anything is done.
    package struct Touch: Sendable, Hashable {
        package let questionnaire: String
        /// The version that was answered.
        package let version: String
        /// The version whose key is in force now.
        package let keyedBy: String
        package let keyVersion: String
        package let keyDigest: String
        /// All revisions.
        package let sheets: Int
    }

    /// Begins a re-scoring if something is to be scored by these rules, and gives up one that is under way to other
    /// rules.
    /// - Returns: the unfinished job that brings about these rules, and what it touches; nil where nothing is to be
    ///   done.
    package func begin(
        _ inForce: ScoringInForce, cause: Rescoring.Cause, now: Instant
    ) async throws -> (rescoring: Rescoring, touches: [Touch])? {
        let digest = inForce.digest
        return try await pool.writeRetrying(repeatable: true) { transaction in
            _ = try await transaction.pipeline([
                (Statements.rescorings["take_time"], []),
                (Statements.studies["lock_study"], [.text(inForce.study)]),
            ])
            let last = try await Self.last(of: inForce.study, in: transaction)
            let isSame = last?.rulesDigest == digest
            let touches = try await Self.touches(
                inForce, takesEverything: !isSame || last?.state == .failed, in: transaction)
            if let last, isSame, last.state.isUnfinished { return (last, touches) }
            guard !touches.isEmpty else { return nil }
            _ = try await transaction.query(
                Statements.rescorings["supersede_rescorings"], [.text(inForce.study), .instant(now)])
            let id = RescoringID(UUID())
            let isEngine = last.map { $0.engineVersion != Scoring.engineVersion } ?? (cause == .engine)
            let known: Rescoring.Cause = isEngine ? .engine : cause == .engine ? .publication : cause
            _ = try await transaction.query(
                Statements.rescorings["insert_rescoring"],
                [
                    .id(id), .text(inForce.study), .text(inForce.liveVersion), .text(digest),
                    .text(Scoring.engineVersion), .text(known.rawValue),
                    .int8(Int64(touches.reduce(0) { $0 + $1.sheets })), .instant(now),
                ])
            let begun = try await transaction.query(
                Statements.rescorings["find_rescoring"], [.text(inForce.study), .id(id)])
            return (try Rescoring(begun.one()), touches)
        }
    }

    private static func last(of study: String, in transaction: Transaction) async throws -> Rescoring? {
        try await transaction.query(Statements.rescorings["find_last_rescoring"], [.text(study)]).oneOrNone()
            .map { try Rescoring($0) }
    }

    private static func touches(
        _ inForce: ScoringInForce, takesEverything: Bool, in transaction: Transaction
    ) async throws -> [Touch] {
        var touches: [Touch] = []
        for (place, rule) in inForce.rules.sorted(by: { $0.key < $1.key }) {
            let sheets: Int = try await transaction.query(
                Statements.rescorings["count_sheets_to_score"],
                RuleScoring(rule, takesEverything: takesEverything).parameters(of: inForce.study)
            ).one().get("sheets")
            guard sheets > 0 else { continue }
            touches.append(
                Touch(
                    questionnaire: place.questionnaire, version: place.version, keyedBy: rule.keyed.version,
                    keyVersion: rule.keyVersion, keyDigest: rule.keyDigest, sheets: sheets))
        }
        return touches
    }

    /// Takes up the next job of this engine that nobody works at, or the named one; it is this worker's until the lease ends.
    /// - Parameter settlesBefore: a job that settles is taken up if it was begun by then.
    package func claim(
        _ id: RescoringID? = nil, now: Instant, leaseUntil: Instant, settlesBefore: Instant
    ) async throws -> Rescoring? {
        try await pool.query(
            Statements.rescorings["claim_rescoring"],
            [
                .instant(now), .instant(leaseUntil), .instant(settlesBefore), .id(id),
                .text(Scoring.engineVersion),
            ]
        ).oneOrNone().map { try Rescoring($0) }
    }

    /// Gives up a job whose rules are in force no more, and begins what is to be done by those that are.
    package func giveUp(_ job: Rescoring, for inForce: ScoringInForce, now: Instant) async throws {
        _ = try await pool.query(
            Statements.rescorings["supersede_rescorings"], [.text(job.study), .instant(now)])
        _ = try await begin(inForce, cause: .publication, now: now)
    }

    /// Notes that a job cannot go on.
    package func fail(_ job: Rescoring, _ failure: String, now: Instant) async throws {
        _ = try await pool.query(
            Statements.rescorings["fail_rescoring"], [.id(job.id), .instant(now), .text(failure)])
    }

    /// The newest first, from after the given place on; those that were given up are among them.
    package func list(
        _ study: String, before: (requestedAt: Instant, id: RescoringID)?, limit: Int
    ) async throws -> [Rescoring] {
        try await pool.query(
            Statements.rescorings["list_rescorings"],
            [
                .text(study), .instant(before?.requestedAt ?? .maximum), .uuid(before?.id.uuid ?? .last),
                .int(limit),
            ]
        ).map { try Rescoring($0) }
    }

    package func find(_ id: RescoringID, study: String) async throws -> Rescoring? {
        try await pool.query(Statements.rescorings["find_rescoring"], [.text(study), .id(id)]).oneOrNone()
            .map { try Rescoring($0) }
    }

    /// Sheets of the study, all revisions, that some key scores.
    package func countSheets(_ inForce: ScoringInForce) async throws -> Int {
        let places = inForce.rules.keys.sorted()
        return try await pool.query(
            Statements.rescorings["count_scorable_sheets"],
            [.text(inForce.study), .texts(places.map(\.questionnaire)), .texts(places.map(\.version))]
        ).one().get("sheets")
    }

    /// What a job has done so far, by questionnaire, version and scale.
    package func scales(of id: RescoringID) async throws -> [RescoredScale] {
        let results = try await pool.pipeline([
            (Statements.rescorings["list_rescoring_scales"], [.id(id)]),
            (Statements.rescorings["list_rescoring_moves"], [.id(id)]),
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
