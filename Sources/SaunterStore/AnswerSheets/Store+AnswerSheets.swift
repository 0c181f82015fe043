import Foundation
import Postgres
import SaunterCore

/// Corrected answers, checked and scored.
package struct SheetRevision: Sendable {
    package var answers: StoredAnswers
    package var cleared: [String]
    package var scores: [Score]
    package var keyVersion: String?
    package var keyDigest: String?
    /// What was known of the person, as it stands beside the scores.
    package var covariates: String?
    package var reason: String?
    /// Flags of the constraints that do not hold; they take the place of the earlier ones.
    package var warnings: [String]

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
    /// The newest revision, with its texts and scores; a deleted sheet is found too.
    package func findSheet(_ enrolment: EnrolmentID, _ sheet: SheetID) async throws -> StoredSheet? {
        let rows = try await research.query(
            Statements.answerSheets["find_answer_sheet"], [.id(enrolment), .id(sheet)])
        guard let row = try rows.oneOrNone() else { return nil }
        return try await completed([StoredSheet(row)], of: enrolment).first
    }

    /// Whether a sheet with exactly this body is stored. The answer is written, not only read, so that it is as durable as the first receipt.
    package func isStored(_ sheet: SheetID, of enrolment: EnrolmentID, digest: [UInt8]) async throws -> Bool {
        try await research.write { transaction in
            let results = try await transaction.pipeline([
                (Statements.answerSheets["touch_answer_sheet"], [.id(enrolment), .id(sheet)]),
                (Statements.answerSheets["list_sheet_receipts"], [.ids([enrolment]), .ids([sheet])]),
            ])
            return try results[1].oneOrNone()?.get("body_sha256", as: [UInt8].self) == digest
        }
    }

    /// Sheets that are not deleted, the last received first, from after the given place on.
    package func listSheets(
        _ enrolment: EnrolmentID, before: (receivedAt: Instant, id: SheetID)?, limit: Int
    ) async throws -> [StoredSheet] {
        let rows = try await research.query(
            Statements.answerSheets["list_answer_sheets"],
            [
                .id(enrolment), .instant(before?.receivedAt ?? .maximum),
                .uuid(before?.id.uuid ?? .last),
                .int(limit),
            ])
        return try await completed(rows.map { try StoredSheet($0) }, of: enrolment)
    }

    /// Adds a revision; the one before stays as it was.
    /// - Parameter decide: sees the locked sheet and says what the revision holds; what it throws is passed on.
    /// - Returns: nil when there is no such sheet, or it was deleted.
    package func revise(
        _ enrolment: EnrolmentID, _ sheet: SheetID, now: Instant, audit: AuditEntry,
        decide: @Sendable (StoredSheet) throws -> SheetRevision
    ) async throws -> StoredSheet? {
        let found = try await research.writeRetrying { transaction -> Bool in
            guard var stored = try await Self.lockSheet(enrolment, sheet, in: transaction) else {
                return false
            }
            stored.answers.texts =
                try await Self.texts([stored], of: enrolment, in: transaction)[stored.id] ?? [:]
            let revision = try decide(stored)
            // It counts among the corrections that devices send, by when they were made.
            let made = Amendment(
                id: AmendmentID(UUID()), subject: .sheet(sheet), kind: .correction, madeAt: now,
                receivedAt: now, body: [:], digest: [], state: .applied)
            var calls = Self.revisionCalls(enrolment, stored, revision, now: now)
            calls.append(Self.insertCall(made, of: enrolment, revision: stored.revision + 1))
            calls.append(audit.call(at: now))
            _ = try await transaction.pipeline(calls)
            return true
        }
        return found ? try await findSheet(enrolment, sheet) : nil
    }

    /// Takes a sheet out of every count; its occasion is that of the first of its duplicates, or open for another one again.
    /// - Parameter decide: sees the locked sheet; what it throws is passed on.
    /// - Returns: false when there is no such sheet, or it was deleted before.
    package func deleteSheet(
        _ enrolment: EnrolmentID, _ sheet: SheetID, now: Instant, audit: AuditEntry,
        decide: @Sendable (StoredSheet) throws -> Void
    ) async throws -> Bool {
        try await research.writeRetrying { transaction in
            guard let stored = try await Self.lockSheet(enrolment, sheet, in: transaction) else {
                return false
            }
            try decide(stored)
            _ = try await transaction.pipeline(
                Self.deletionCalls(enrolment, stored, now: now) + [audit.call(at: now)])
            return true
        }
    }

    /// Puts a revision in the place of the one that is stored.
    static func revisionCalls(
        _ enrolment: EnrolmentID, _ stored: StoredSheet, _ revision: SheetRevision, now: Instant
    ) -> [(Statement, [Parameter])] {
        let number = stored.revision + 1
        let calls: [(Statement, [Parameter])] = [
            (
                Statements.answerSheets["retire_revision"],
                [.id(enrolment), .id(stored.id), .int(stored.revision)]
            ),
            (
                Statements.answerSheets["insert_revision"],
                [
                    .id(enrolment), .id(stored.id), .int(number), .int2s(revision.answers.slots),
                    .float8s(revision.answers.numbers), .texts(revision.cleared), .instant(now),
                    .text(revision.reason), .json(revision.answers.repeatedJSON), .texts(revision.warnings),
                ]
            ),
        ]
        return calls
            + answerCalls(
                enrolment, stored.id, revision: number, texts: revision.answers.texts,
                scores: revision.scores, keyVersion: revision.keyVersion, keyDigest: revision.keyDigest,
                covariates: revision.covariates, now: now)
    }

    /// Marks a sheet as deleted, and hands its occasion on to the first of its duplicates; without any it is open again.
    static func deletionCalls(
        _ enrolment: EnrolmentID, _ stored: StoredSheet, now: Instant
    ) -> [(Statement, [Parameter])] {
        var calls: [(Statement, [Parameter])] = [
            (
                Statements.answerSheets["delete_answer_sheet"],
                [.id(enrolment), .id(stored.id), .instant(now)]
            )
        ]
        if let occasion = stored.occasion {
            calls.append(
                (
                    Statements.answerSheets["hand_on_occasion"],
                    [.id(enrolment), .id(occasion), .id(stored.id)]
                ))
        }
        return calls
    }

    /// The newest revision of a sheet that is not deleted, once nobody else changes it. Its occasion is locked first, as those who hand in
    /// sheets do; one that the sheet gets while it is waited for is locked then.
    static func lockSheet(
        _ enrolment: EnrolmentID, _ sheet: SheetID, in transaction: Transaction
    ) async throws -> StoredSheet? {
        let key: [Parameter] = [.id(enrolment), .id(sheet)]
        let rows = try await transaction.query(Statements.answerSheets["find_answer_sheet"], key)
        guard let row = try rows.oneOrNone() else { return nil }
        let before: OccasionID? = try row.idOptional("occasion_id")
        if let before { try await lockOccasion(before, of: enrolment, in: transaction) }
        _ = try await transaction.query(Statements.answerSheets["lock_answer_sheet"], key)
        let newest = try await transaction.query(Statements.answerSheets["find_answer_sheet"], key)
        guard let stored = try newest.oneOrNone().map({ try StoredSheet($0) }), stored.deletedAt == nil else {
            return nil
        }
        if let occasion = stored.occasion, occasion != before {
            try await lockOccasion(occasion, of: enrolment, in: transaction)
        }
        return stored
    }

    private static func lockOccasion(
        _ occasion: OccasionID, of enrolment: EnrolmentID, in transaction: Transaction
    ) async throws {
        _ = try await transaction.query(
            Statements.answerSheets["lock_occasions"], [.ids([enrolment]), .ids([occasion])])
    }

    /// Adds texts and scores, in one round trip for all.
    private func completed(_ sheets: [StoredSheet], of enrolment: EnrolmentID) async throws -> [StoredSheet] {
        guard !sheets.isEmpty else { return [] }
        let texts = try await Self.texts(sheets, of: enrolment, in: research)
        let rows = try await research.query(
            Statements.answerSheets["list_scores"], [.id(enrolment), .ids(sheets.map(\.id))])
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

    static func texts(
        _ sheets: [StoredSheet], of enrolment: EnrolmentID, in source: some Querying
    ) async throws -> [SheetID: [String: String]] {
        let rows = try await source.query(
            Statements.answerSheets["list_answer_texts"], [.id(enrolment), .ids(sheets.map(\.id))])
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
