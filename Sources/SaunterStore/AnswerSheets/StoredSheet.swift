import Postgres
import SaunterCore

/// The newest revision of a stored sheet.
package struct StoredSheet: Sendable {
    package var id: SheetID
    package var revision: Int
    package var occasion: OccasionID?
    package var questionnaire: String
    package var version: String
    package var studyVersion: String
    package var language: String
    package var startedAt: Instant
    package var completedAt: Instant
    /// The same instant by the server's clock.
    package var correctedCompletedAt: Instant
    package var receivedAt: Instant
    package var zone: Zone
    package var timeliness: Timeliness
    package var lateS: Int64?
    package var flags: [String]
    package var duplicateOf: SheetID?
    package var walk: WalkID?
    /// The sheet that this sheet is about; nil for none.
    package var refersTo: SheetID?
    /// `participant`, or the code of the partner that wrote the sheet.
    package var source: String
    /// The participant's local date when the sheet was completed, by the corrected clock and the stored offset.
    package var localDate: LocalDate
    package var answers: StoredAnswers
    /// The linkIds of answers that the server removed because their item was not shown, as in `AnswerSheet`.
    package var cleared: [String]
    /// The order in which shuffled items or options were shown; nil if the client recorded none.
    package var presented: JSON?
    package var revisedAt: Instant?
    package var deletedAt: Instant?
    /// Empty until the caller adds the scores, which are rows of another query.
    package var scores: [Score]

    init(_ row: Row) throws {
        id = try row.id("sheet_id")
        revision = try row.get("revision")
        occasion = try row.idOptional("occasion_id")
        questionnaire = try row.get("questionnaire")
        version = try row.get("version")
        studyVersion = try row.get("study_version")
        language = try row.get("language")
        startedAt = try row.instant("started_at")
        completedAt = try row.instant("completed_at")
        correctedCompletedAt = completedAt.adding(milliseconds: try row.get("skew_ms"))
        receivedAt = try row.instant("received_at")
        zone = try row.zone("zone")
        timeliness = try row.value("standing")
        lateS = try row.getOptional("late_s")
        flags = try row.get("flags")
        duplicateOf = try row.idOptional("duplicate_of")
        walk = try row.idOptional("walk_id")
        refersTo = try row.idOptional("refers_to")
        source = try row.get("source")
        localDate = LocalDate(of: correctedCompletedAt, offsetMinutes: try row.get("completed_offset_min"))
        answers = StoredAnswers(slots: try row.get("slots"), numbers: try row.get("numbers"), texts: [:])
        answers.setRepeated(try row.getOptional("repeated", as: String.self).map { try JSONReader.read($0) })
        presented = try row.getOptional("presented", as: String.self).map { try JSONReader.read($0) }
        cleared = try row.get("cleared")
        revisedAt = try row.instantOptional("revised_at")
        deletedAt = try row.instantOptional("deleted_at")
        scores = []
    }
}
