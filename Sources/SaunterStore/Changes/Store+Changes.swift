import Foundation
import Postgres
import SaunterCore

extension Store {
    /// Assigns a number to every change of the study that was committed since the last run.
    /// - Returns: the last assigned number.
    package func numberChanges(of study: String, batches: Int = .max) async throws -> Int64 {
        try await ChangeNumbering.run(study, on: research, batches: batches)
    }

    /// Changes after this number, in the order of the numbers, each record once and in its current state. Call
    /// `numberChanges` first.
    ///
    /// Runs under the role of datasets, which cannot read identities.
    package func listChanges(of study: String, after: Int64, limit: Int) async throws -> [Change] {
        try await export.read(isolation: .repeatableRead) { transaction in
            let rows = try await transaction.query(
                Statements.changes["list_changes"],
                ["study": .text(study), "after": .int8(after), "limit_rows": .int(limit)])
            var changes: [Change] = []
            var sheets: [(index: Int, enrolment: EnrolmentID, sheet: SheetID)] = []
            for row in rows {
                let kind: Change.Kind = try row.value("kind")
                let subject: ID<Change>? = try row.idOptional("subject_id")
                let body = try row.getOptional("body", as: String.self).map { try JSONReader.read($0) }
                changes.append(
                    Change(
                        sequence: try row.get("change_seq"), kind: kind, subject: subject?.description,
                        enrolmentRef: try row.get("enrolment_ref"),
                        participantID: body == nil ? nil : try row.getOptional("participant_id"), body: body))
                if kind == .answerSheet, body != nil {
                    sheets.append(
                        (changes.count - 1, try row.id("enrolment_id"), try row.id("subject_id")))
                }
            }
            let stored = try await Self.sheets(sheets.map { ($0.enrolment, $0.sheet) }, in: transaction)
            for (index, enrolment, sheet) in sheets {
                changes[index].sheet = stored[SheetKey(enrolment: enrolment, sheet: sheet)]
            }
            return changes
        }
    }

    /// Current revisions with texts and scores, of several enrolments.
    private static func sheets(
        _ keys: [(enrolment: EnrolmentID, sheet: SheetID)], in transaction: Transaction
    ) async throws -> [SheetKey: StoredSheet] {
        guard !keys.isEmpty else { return [:] }
        let parameters: Arguments = [
            "enrolment_ids": .ids(keys.map(\.enrolment)), "sheet_ids": .ids(keys.map(\.sheet)),
        ]
        let results = try await transaction.pipeline([
            (Statements.changes["list_sheets_by_keys"], parameters),
            (Statements.changes["list_texts_by_keys"], parameters),
            (Statements.changes["list_scores_by_keys"], parameters),
        ])
        var sheets: [SheetKey: StoredSheet] = [:]
        for row in results[0] { sheets[try SheetKey(row)] = try StoredSheet(row) }
        for row in results[1] {
            let id = try SheetKey(row)
            guard try row.get("revision") == sheets[id]?.revision else { continue }
            sheets[id]?.answers.texts[try row.get("item")] = try row.get("text", as: String.self)
        }
        for row in results[2] {
            let id = try SheetKey(row)
            guard try row.get("revision") == sheets[id]?.revision else { continue }
            sheets[id]?.scores.append(try score(row))
        }
        return sheets
    }
}

/// The key of a sheet. Devices make the ids of sheets, so an id is unique only within an enrolment.
private struct SheetKey: Hashable {
    let enrolment: EnrolmentID
    let sheet: SheetID

    init(enrolment: EnrolmentID, sheet: SheetID) {
        self.enrolment = enrolment
        self.sheet = sheet
    }

    init(_ row: Row) throws {
        enrolment = try row.id("enrolment_id")
        sheet = try row.id("sheet_id")
    }
}
