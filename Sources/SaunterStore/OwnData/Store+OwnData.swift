import Foundation
import Postgres
import SaunterCore

/// What a participant's own data contains; see `sql/queries/own_data.sql`. Everything except the account is read under
/// the role of datasets, which cannot read identities.
extension Store {
    /// The enrolment with its consents, permissions, zones, pauses and events.
    /// - Parameter showsArm: false while the study conceals the arm.
    /// - Throws: `ConcurrentErasure`.
    package func fetchOwnEnrolment(_ id: EnrolmentID, showsArm: Bool) async throws -> JSONObject {
        let rows = try await readers.query(
            Statements.ownData["own_enrolment"], ["enrolment_id": .id(id), "shows_arm": .bool(showsArm)])
        guard let row = try rows.oneOrNone() else { throw ConcurrentErasure() }
        return try JSONReader.read(row.get("body", as: String.self)).object ?? [:]
    }

    /// The next page of a list, as JSON texts.
    /// - Parameter after: the position of the last record of the previous page.
    package func listOwnRecords(
        _ records: OwnRecords, of enrolment: EnrolmentID, after: OwnPosition
    ) async throws -> [(position: OwnPosition, body: String)] {
        try await ownPage(records.statement, of: enrolment, after: after, limit: records.pageSize)
    }

    /// The next page of walks without their series and without deleted walks.
    package func listOwnWalkSummaries(
        of enrolment: EnrolmentID, after: OwnPosition, limit: Int
    ) async throws -> [(position: OwnPosition, body: String)] {
        try await ownPage("list_own_walk_summaries", of: enrolment, after: after, limit: limit)
    }

    private func ownPage(
        _ statement: String, of enrolment: EnrolmentID, after: OwnPosition, limit: Int
    ) async throws -> [(position: OwnPosition, body: String)] {
        try await readers.query(
            Statements.ownData[statement],
            ["enrolment_id": .id(enrolment), "after": .json(after.values), "limit_rows": .int(limit)]
        ).map { (try Self.position($0), try $0.get("body")) }
    }

    /// The next page of revisions of answer sheets, in the order of their completion.
    package func listOwnSheets(
        of enrolment: EnrolmentID, after: OwnPosition, limit: Int
    ) async throws -> [(position: OwnPosition, sheet: OwnSheet)] {
        let rows = try await readers.query(
            Statements.ownData["list_own_answer_sheets"],
            ["enrolment_id": .id(enrolment), "after": .json(after.values), "limit_rows": .int(limit)])
        var page = try rows.map { row in
            (
                position: try Self.position(row),
                sheet: OwnSheet(
                    sheet: try StoredSheet(row),
                    body: try JSONReader.read(row.get("body", as: String.self)).object ?? [:], scores: [])
            )
        }
        guard !page.isEmpty else { return [] }
        let ids = Array(Set(page.map(\.sheet.sheet.id)))
        let key: Arguments = ["enrolment_id": .id(enrolment), "sheet_ids": .ids(ids)]
        var texts: [RevisionKey: [String: String]] = [:]
        for row in try await readers.query(Statements.answerSheets["list_answer_texts"], key) {
            texts[try RevisionKey(row), default: [:]][try row.get("item")] = try row.get(
                "text", as: String.self)
        }
        var scores: [RevisionKey: [JSON]] = [:]
        for row in try await readers.query(Statements.ownData["list_own_scores"], key) {
            scores[try RevisionKey(row), default: []].append(
                try JSONReader.read(row.get("body", as: String.self)))
        }
        for index in page.indices {
            let key = RevisionKey(id: page[index].sheet.sheet.id, revision: page[index].sheet.sheet.revision)
            page[index].sheet.sheet.answers.texts = texts[key] ?? [:]
            page[index].sheet.scores = scores[key] ?? []
        }
        return page
    }

    private struct RevisionKey: Hashable {
        var id: SheetID
        var revision: Int

        init(id: SheetID, revision: Int) {
            self.id = id
            self.revision = revision
        }

        init(_ row: Row) throws {
            self.init(id: try row.id("sheet_id"), revision: try row.get("revision"))
        }
    }

    private static func position(_ row: Row) throws -> OwnPosition {
        OwnPosition(try JSONReader.read(row.get("position", as: String.self)))
    }

    /// The logins and mails of an account as JSON, without tokens and codes.
    package func listOwnLogins(_ account: AccountID) async throws -> (logins: [JSON], mails: [JSON]) {
        let key: Arguments = ["account_id": .id(account)]
        func text(_ instant: Instant?) -> JSON { .optional(instant) { .string($0.description) } }
        let logins = try await identity.query(Statements.ownData["list_own_logins"], key).map { row -> JSON in
            [
                "created_at": text(try row.instant("created_at")),
                "expires_at": text(try row.instant("expires_at")),
                "revoked_at": text(try row.instantOptional("revoked_at")),
                "revoked_why": .optional(try row.getOptional("revoked_why", as: String.self), JSON.string),
            ]
        }
        let mails = try await identity.query(Statements.ownData["list_own_mails"], key).map { row -> JSON in
            [
                "kind": .string(try row.get("kind")), "created_at": text(try row.instant("created_at")),
                "attempts": .int(try row.get("attempts")),
                "outcome": .optional(try row.getOptional("outcome", as: String.self), JSON.string),
            ]
        }
        return (logins, mails)
    }
}
