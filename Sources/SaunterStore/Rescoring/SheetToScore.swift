import Foundation
import Postgres
import SaunterCore

/// The primary key of a sheet's revision. Rescoring processes revisions in the order of this key.
struct SheetRevisionKey: Sendable, Hashable {
    let enrolment: UUID
    let sheet: UUID
    let revision: Int32

    /// Sorts before every revision.
    static let start = SheetRevisionKey(enrolment: .first, sheet: .first, revision: 0)
}

/// A stored sheet revision, with the other data that scoring needs.
struct SheetToScore: Sendable {
    let key: SheetRevisionKey
    let arm: String
    /// By the corrected clock.
    let completedAt: Instant
    /// The local date of that instant.
    let completedOn: LocalDate
    /// Whether reports count the sheet: it is the newest revision and not a duplicate.
    let counts: Bool
    /// Without texts and repeated answers, which no scale uses.
    let answers: StoredAnswers

    /// - Parameter row: a row of `list_sheets_to_score` or `list_sheets_of_participant`.
    init(_ row: Row) throws {
        key = SheetRevisionKey(
            enrolment: try row.get("enrolment_id"), sheet: try row.get("sheet_id"),
            revision: try row.get("revision"))
        arm = try row.get("arm")
        completedAt = try row.instant("completed_at")
        completedOn = LocalDate(of: completedAt, offsetMinutes: try row.get("completed_offset_min"))
        counts = try row.get("counts")
        answers = StoredAnswers(
            slots: try row.get("slots"), numbers: try row.get("numbers", as: [Double?].self), texts: [:])
    }
}
