import Foundation
import Postgres
import SaunterCore

/// Where a revision of a sheet stands in key order.
struct SheetPlace: Sendable, Hashable {
    let enrolment: UUID
    let sheet: UUID
    let revision: Int32

    private static let nobody = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
    static let beforeAll = SheetPlace(enrolment: nobody, sheet: nobody, revision: 0)
}

/// A revision of a sheet as it is stored, with what scoring needs besides the answers.
struct SheetToScore: Sendable {
    let place: SheetPlace
    let arm: String
    /// By the corrected clock.
    let completedAt: Instant
    /// Local date of that moment.
    let completedOn: LocalDate
    /// Whether it is the newest revision and no duplicate: what a report counts.
    let counts: Bool
    /// Without texts and repeated answers, which count nothing.
    let answers: StoredAnswers

    /// - Parameter row: of `list_sheets_to_score` or `list_sheets_of_person`.
    init(_ row: Row) throws {
        place = SheetPlace(
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

extension LocalDate {
    /// The date on a wall clock that is so many minutes east of UTC.
    package init(of moment: Instant, offsetMinutes: Int) {
        let seconds = moment.adding(seconds: min(max(offsetMinutes, -1440), 1440) * 60).seconds
        self.init(days: Int((seconds >= 0 ? seconds : seconds - 86_399) / 86_400))
    }
}
