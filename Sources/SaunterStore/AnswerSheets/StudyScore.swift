import Foundation
import Postgres
import SaunterCore

/// A score of one sheet with its participant, for the study team.
package struct StudyScore: Sendable {
    /// A position in the list of scores, which is sorted by these values.
    package struct Position: Sendable, Hashable {
        /// The pseudonym of the participant.
        package var participantID: String
        /// When the sheet was completed, by the corrected clock, in whole milliseconds.
        package var at: Instant
        /// The sheet.
        package var sheet: SheetID
        /// The id of the scale.
        package var scale: String

        /// Creates a position from the parts of a cursor.
        package init(participantID: String, at: Instant, sheet: SheetID, scale: String) {
            self.participantID = participantID
            self.at = at
            self.sheet = sheet
            self.scale = scale
        }
    }

    /// The place of the score in the list: participant, completion, sheet and scale.
    package let position: Position
    /// The code of the present arm.
    package let arm: String
    /// Days since the enrolment.
    package let studyDay: Int
    /// The code of the questionnaire.
    package let questionnaire: String
    /// The version of the questionnaire that was answered.
    package let version: String
    /// The score; nil if it is undefined.
    package let value: Double?
    /// Why the score is undefined.
    package let reason: String?
    /// The id of the band; nil if there is none.
    package let band: String?
    /// The version of the scoring key.
    package let keyVersion: String

    /// The pseudonym of the participant.
    package var participantID: String { position.participantID }

    init(_ row: Row) throws {
        position = Position(
            participantID: try row.get("participant_id"), at: try row.instant("completed_at"),
            sheet: try row.id("sheet_id"), scale: try row.get("scale"))
        arm = try row.get("arm")
        studyDay = try row.get("study_day")
        questionnaire = try row.get("questionnaire")
        version = try row.get("version")
        value = try row.getOptional("value")
        reason = try row.getOptional("reason")
        band = try row.getOptional("band")
        keyVersion = try row.get("key_version")
    }
}

/// The scores of a list.
package struct StudyScoreFilter: Sendable {
    /// The scales with the codes of their questionnaires.
    package var scales: [(questionnaire: String, scale: String)]
    /// The code of the arm; nil for all.
    package var arm: String?
    /// The pseudonym of the participant; nil for all.
    package var participantID: String?

    /// Creates a filter.
    package init(
        scales: [(questionnaire: String, scale: String)], arm: String?, participantID: String?
    ) {
        self.scales = scales
        self.arm = arm
        self.participantID = participantID
    }
}

extension Store {
    /// The scores of the sheets that count, by the newest key, in the order of their positions.
    /// - Parameter position: the last score of the previous page; nil for the first page.
    package func listScores(
        of study: String, _ filter: StudyScoreFilter, after position: StudyScore.Position?, limit: Int
    ) async throws -> [StudyScore] {
        try await readers.query(
            Statements.answerSheets["list_study_scores"],
            [
                "study": .text(study), "questionnaires": .texts(filter.scales.map(\.questionnaire)),
                "scales": .texts(filter.scales.map(\.scale)), "arm": .text(filter.arm),
                "participant_id": .text(filter.participantID),
                // No pseudonym is empty, so all scores are after this position.
                "after_participant": .text(position?.participantID ?? ""),
                "after_at": .instant(position?.at ?? .maximum),
                "after_sheet": .uuid(position?.sheet.uuid ?? .last),
                "after_scale": .text(position?.scale ?? ""), "limit_rows": .int(limit),
            ]
        ).map { try StudyScore($0) }
    }
}
