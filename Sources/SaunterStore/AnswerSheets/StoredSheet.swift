import Postgres
import SaunterCore

/// The newest revision of a stored sheet.
package struct StoredSheet: Sendable {
    /// The UUID that the device generated.
    package var id: SheetID
    /// From 1. Each correction creates the next one.
    package var revision: Int
    /// The occasion of the sheet; nil for none.
    package var occasion: OccasionID?
    /// The code of the questionnaire.
    package var questionnaire: String
    /// The answered version of the questionnaire.
    package var version: String
    /// The version of the study that the enrolment followed at the upload.
    package var studyVersion: String
    /// The language in which the questionnaire was shown, as a BCP 47 tag.
    package var language: String
    /// When the participant began, by the device's clock, uncorrected.
    package var startedAt: Instant
    /// When the participant finished, by the device's clock, uncorrected.
    package var completedAt: Instant
    /// The same instant by the server's clock.
    package var correctedCompletedAt: Instant
    /// When the server received the first revision.
    package var receivedAt: Instant
    /// The participant's time zone at the completion.
    package var zone: Zone
    /// Whether the sheet is early, on time, late or out of its window.
    package var timeliness: Timeliness
    /// Seconds from the due time to the completion; nil if the sheet is not late.
    package var lateS: Int64?
    /// Codes of what is unusual, such as `clock_skew`.
    package var flags: [String]
    /// The sheet that had already fulfilled the occasion; nil for none.
    package var duplicateOf: SheetID?
    /// The walk that the sheet is about; nil for none.
    package var walk: WalkID?
    /// The sheet that this sheet is about; nil for none.
    package var refersTo: SheetID?
    /// `participant`, or the code of the partner that wrote the sheet.
    package var source: String
    /// The participant's local date when the sheet was completed, by the corrected clock and the stored offset.
    package var localDate: LocalDate
    /// The answers of the newest revision.
    package var answers: StoredAnswers
    /// The linkIds of answers that the server removed because their item was not shown, as in `AnswerSheet`.
    package var cleared: [String]
    /// The order in which shuffled items or options were shown; nil if the client recorded none.
    package var presented: JSON?
    /// When this revision was made; nil for the first one.
    package var revisedAt: Instant?
    /// When the participant deleted the sheet; nil if it is not deleted.
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
