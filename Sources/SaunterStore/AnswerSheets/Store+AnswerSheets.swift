import Foundation
import Postgres
import SaunterCore

/// Corrected answers, validated and scored.
package struct SheetRevision: Sendable {
    /// The complete answers after the correction.
    package var answers: StoredAnswers
    /// The linkIds of answers that the server removed because their item was not shown, as in `AnswerSheet`.
    package var cleared: [String]
    /// The scores of these answers by the active key.
    package var scores: [Score]
    /// The version of the active key; nil if there is none.
    package var keyVersion: String?
    /// SHA-256 of the active key, in hexadecimal digits; nil if there is none.
    package var keyDigest: String?
    /// The covariates that were known when the answers were scored, as stored with the scores.
    package var covariates: String?
    /// Why the participant corrected the sheet; nil if not stated.
    package var reason: String?
    /// Flags of violated constraints. They replace the earlier ones.
    package var warnings: [String]

    /// Creates a revision that is not stored yet.
    package init(
        answers: StoredAnswers, cleared: [String], scores: [Score], keyVersion: String?, keyDigest: String?,
        covariates: String? = nil, reason: String?, warnings: [String] = []
    ) {
        self.answers = answers
        self.cleared = cleared
        self.scores = scores
        self.keyVersion = keyVersion
        self.keyDigest = keyDigest
        self.covariates = covariates
        self.reason = reason
        self.warnings = warnings
    }
}

extension Store {
    /// The newest revision, with its texts and scores. Deleted sheets are found too.
    package func findSheet(_ enrolment: EnrolmentID, _ sheet: SheetID) async throws -> StoredSheet? {
        let rows = try await research.query(
            Statements.answerSheets["find_answer_sheet"],
            ["enrolment_id": .id(enrolment), "sheet_id": .id(sheet)])
        guard let row = try rows.oneOrNone() else { return nil }
        return try await addingTextsAndScores(
            to: [StoredSheet(row)], of: enrolment, in: research
        ).first
    }

    /// Whether a sheet with exactly this body is stored. The function updates the row without changing it, and commits.
    /// A read could see a sheet that is not yet on a synchronous standby; this commit waits until it is.
    package func isStored(_ sheet: SheetID, of enrolment: EnrolmentID, digest: [UInt8]) async throws -> Bool {
        try await research.write { transaction in
            let results = try await transaction.pipeline([
                (
                    Statements.answerSheets["touch_answer_sheet"],
                    ["enrolment_id": .id(enrolment), "sheet_id": .id(sheet)]
                ),
                (
                    Statements.answerSheets["list_sheet_receipts"],
                    ["enrolment_ids": .ids([enrolment]), "sheet_ids": .ids([sheet])]
                ),
            ])
            return try results[1].oneOrNone()?.get("body_sha256", as: [UInt8].self) == digest
        }
    }

    /// Adds a revision, and does what follows from it. The earlier revision stays unchanged.
    /// - Parameter decide: gets the locked sheet and returns the revision. Its errors are passed on.
    /// - Returns: nil if there is no such sheet or it is deleted.
    /// - Throws: `ConcurrentErasure`, `StudyVersionMismatch`.
    package func revise(
        _ enrolment: EnrolmentID, _ sheet: SheetID, _ followUps: FollowUps? = nil, now: Instant,
        audit: AuditEntry, decide: @Sendable (StoredSheet) throws -> SheetRevision
    ) async throws -> StoredSheet? {
        let found = try await research.writeRetrying { transaction -> Bool in
            let locked = try await Self.lockEnrolment(enrolment, in: transaction)
            guard var stored = try await Self.lockSheet(enrolment, sheet, in: transaction) else {
                return false
            }
            stored.answers.texts =
                try await Self.texts([stored], of: enrolment, in: transaction)[stored.id] ?? [:]
            let revision = try decide(stored)
            // The correction is stored as an edit too, so that its instant orders it among the corrections that
            // devices send.
            let edit = Edit(
                id: EditID(UUID()), subject: .sheet(sheet), kind: .correction, madeAt: now,
                receivedAt: now, body: [:], digest: [], state: .applied)
            var calls = Self.revisionCalls(enrolment, stored, revision, now: now)
            calls.append(Self.insertCall(edit, of: enrolment, revision: stored.revision + 1))
            calls.append(audit.call(at: now, secrets))
            _ = try await transaction.pipeline(calls)
            try await follow(followUps, locked, in: transaction)
            return true
        }
        return found ? try await findSheet(enrolment, sheet) : nil
    }

    /// Deletes a sheet, so that no statistic counts it, and does what follows from that. Its occasion passes to the
    /// first of its duplicates. Without a duplicate it is open again.
    /// - Parameters:
    ///   - purges: whether the answers of all revisions are removed for good. Otherwise they stay for the audit.
    ///   - decide: gets the locked sheet. Its errors are passed on.
    /// - Returns: false if there is no such sheet or it is already deleted.
    /// - Throws: `ConcurrentErasure`, `StudyVersionMismatch`.
    package func deleteSheet(
        _ enrolment: EnrolmentID, _ sheet: SheetID, _ followUps: FollowUps? = nil, purges: Bool = false,
        now: Instant, audit: AuditEntry, decide: @Sendable (StoredSheet) throws -> Void
    ) async throws -> Bool {
        try await research.writeRetrying { transaction in
            let locked = try await Self.lockEnrolment(enrolment, in: transaction)
            guard let stored = try await Self.lockSheet(enrolment, sheet, in: transaction) else {
                return false
            }
            try decide(stored)
            _ = try await transaction.pipeline(
                Self.deletionCalls(enrolment, stored, purges: purges, now: now)
                    + [audit.call(at: now, secrets)])
            try await follow(followUps, locked, in: transaction)
            return true
        }
    }

    /// The calls that replace the current revision with a new one.
    static func revisionCalls(
        _ enrolment: EnrolmentID, _ stored: StoredSheet, _ revision: SheetRevision, now: Instant
    ) -> [(Statement, Arguments)] {
        let number = stored.revision + 1
        var scores = ScoreColumns()
        scores.append(
            revision.scores, keyVersion: revision.keyVersion, keyDigest: revision.keyDigest,
            covariates: revision.covariates, at: now)
        var calls: [(Statement, Arguments)] = [
            scores.keyCall,
            (
                Statements.answerSheets["retire_revision"],
                [
                    "enrolment_id": .id(enrolment), "sheet_id": .id(stored.id),
                    "revision": .int(stored.revision),
                ]
            ),
            (
                Statements.answerSheets["insert_revision"],
                [
                    "enrolment_id": .id(enrolment), "sheet_id": .id(stored.id), "revision": .int(number),
                    "slots": .int2s(revision.answers.slots),
                    "numbers": .float8s(revision.answers.numbers), "cleared": .texts(revision.cleared),
                    "now": .instant(now),
                    "reason": .text(revision.reason), "repeated": .json(revision.answers.repeatedJSON),
                    "warnings": .texts(revision.warnings),
                ] + scores.parameters
            ),
        ]
        let texts = revision.answers.texts.sorted { $0.key < $1.key }
        if !texts.isEmpty {
            calls.append(
                (
                    Statements.answerSheets["insert_answer_texts"],
                    [
                        "enrolment_id": .id(enrolment), "sheet_id": .id(stored.id), "revision": .int(number),
                        "items": .texts(texts.map(\.key)), "texts": .texts(texts.map(\.value)),
                    ]
                ))
        }
        return calls
    }

    /// The calls that mark a sheet as deleted and pass its occasion to the first of its duplicates. Without a duplicate
    /// the occasion is open again.
    /// - Parameter purges: whether the answers of all revisions are removed for good.
    static func deletionCalls(
        _ enrolment: EnrolmentID, _ stored: StoredSheet, purges: Bool, now: Instant
    ) -> [(Statement, Arguments)] {
        var calls: [(Statement, Arguments)] = [
            (
                Statements.answerSheets["delete_answer_sheet"],
                ["enrolment_id": .id(enrolment), "sheet_id": .id(stored.id), "now": .instant(now)]
            )
        ]
        if let occasion = stored.occasion {
            calls.append(
                (
                    Statements.answerSheets["hand_on_occasion"],
                    [
                        "enrolment_id": .id(enrolment), "occasion_id": .id(occasion),
                        "sheet_id": .id(stored.id),
                    ]
                ))
        }
        return purges ? calls + purgeCalls(enrolment, stored.id) : calls
    }

    /// The calls that remove what a deleted sheet contains from every table: answers, texts and scores of all
    /// revisions, quarantined bodies, stored corrections, and values on which decisions of rules rested.
    private static func purgeCalls(
        _ enrolment: EnrolmentID, _ sheet: SheetID
    ) -> [(Statement, Arguments)] {
        let key: Arguments = ["enrolment_id": .id(enrolment), "sheet_id": .id(sheet)]
        return [
            (
                Statements.answerSheets["purge_answer_sheet"],
                key + ["redacted": .int(MissingReason.redacted.rawValue)]
            ),
            (Statements.answerSheets["delete_answer_texts"], key),
            (Statements.answerSheets["delete_later_scores"], key),
            (Statements.answerSheets["delete_quarantined_bodies_of_sheet"], key),
            (Statements.amendments["blank_corrections_of_purged_sheet"], key),
            (Statements.rules["blank_decisions"], ["enrolment_id": .id(enrolment)]),
        ]
    }

    /// Locks a sheet against a rescoring, and returns its newest revision; nil if it does not exist or is deleted. The
    /// caller has locked the enrolment.
    static func lockSheet(
        _ enrolment: EnrolmentID, _ sheet: SheetID, in transaction: Transaction
    ) async throws -> StoredSheet? {
        let key: Arguments = ["enrolment_id": .id(enrolment), "sheet_id": .id(sheet)]
        let found = try await transaction.pipeline([
            (Statements.answerSheets["lock_answer_sheet"], key),
            (Statements.answerSheets["find_answer_sheet"], key),
        ])
        guard let stored = try found[1].oneOrNone().map({ try StoredSheet($0) }), stored.deletedAt == nil
        else { return nil }
        return stored
    }

    /// Adds texts and scores, in one round trip each.
    func addingTextsAndScores(
        to sheets: [StoredSheet], of enrolment: EnrolmentID, in connection: any Querying
    ) async throws -> [StoredSheet] {
        guard !sheets.isEmpty else { return [] }
        let texts = try await Self.texts(sheets, of: enrolment, in: connection)
        let rows = try await connection.query(
            Statements.answerSheets["list_scores"],
            ["enrolment_id": .id(enrolment), "sheet_ids": .ids(sheets.map(\.id))])
        var scores: [SheetID: [Score]] = [:]
        let revisions = Dictionary(
            sheets.map { ($0.id, $0.revision) }, uniquingKeysWith: { first, _ in first })
        for row in rows {
            let id: SheetID = try row.id("sheet_id")
            guard try row.get("revision") == revisions[id] else { continue }
            scores[id, default: []].append(try Self.score(row))
        }
        return sheets.map { sheet in
            var sheet = sheet
            sheet.answers.texts = texts[sheet.id] ?? [:]
            sheet.scores = scores[sheet.id] ?? []
            return sheet
        }
    }

    /// The texts of the newest revisions, by sheet and item.
    static func texts(
        _ sheets: [StoredSheet], of enrolment: EnrolmentID, in source: some Querying
    ) async throws -> [SheetID: [String: String]] {
        let rows = try await source.query(
            Statements.answerSheets["list_answer_texts"],
            ["enrolment_id": .id(enrolment), "sheet_ids": .ids(sheets.map(\.id))])
        let revisions = Dictionary(
            sheets.map { ($0.id, $0.revision) }, uniquingKeysWith: { first, _ in first })
        var texts: [SheetID: [String: String]] = [:]
        for row in rows {
            let id: SheetID = try row.id("sheet_id")
            guard try row.get("revision") == revisions[id] else { continue }
            texts[id, default: [:]][try row.get("item")] = try row.get("text", as: String.self)
        }
        return texts
    }

    static func score(_ row: Row) throws -> Score {
        Score(
            scale: try row.get("scale"), value: try row.getOptional("value"),
            reason: try row.valueOptional("reason"),
            band: try row.getOptional("band"), itemCount: try row.get("item_count"),
            answeredCount: try row.get("answered_count"), imputedCount: try row.get("imputed_count"),
            exclusion: try row.getOptional("exclusion"),
            standardError: try row.getOptional("standard_error"))
    }
}
