import Postgres
import SaunterCore

/// A job that brings the scores of a study in line with the keys in force.
package struct Rescoring: Sendable {
    /// How far it is.
    package enum State: String, Sendable, CaseIterable {
        case queued, running
        /// All that was stored is scored; sheets that were on their way while the rules changed are looked for
        /// once more.
        case settling
        case done
        /// Given up for one that brings about newer rules.
        case superseded
        case failed

        package var isUnfinished: Bool { [.queued, .running, .settling].contains(self) }
    }

    /// Why it was begun.
    package enum Cause: String, Sendable, CaseIterable {
        case publication, engine, request
    }

    package var id: RescoringID
    package var study: String
    /// The version that was live when it was begun.
    package var studyVersion: String
    /// Of the rules that it brings about.
    package var rulesDigest: String
    package var engineVersion: String
    package var cause: Cause
    package var requestedAt: Instant
    package var state: State
    /// Sheets, all revisions, that were to be looked at when it was begun.
    package var sheetsTotal: Int
    package var sheetsSeen: Int
    /// Scores that were added, or replaced because more was known.
    package var rowsAdded: Int
    /// Sheets whose stored answers do not fit their version.
    package var damaged: Int
    package var finishedAt: Instant?
    package var failure: String?
    /// Batches that were committed.
    var batches: Int
    /// The rule that it has come to, and the sheet after which it goes on.
    var rule: ScoringInForce.Place
    var place: SheetPlace

    /// 0…1.
    package var progress: Double {
        switch state {
        case .done, .settling: 1
        case .queued, .running, .superseded, .failed:
            sheetsTotal > 0 ? min(Double(sheetsSeen) / Double(sheetsTotal), 1) : 0
        }
    }

    init(_ row: Row) throws {
        id = try row.id("rescoring_id")
        study = try row.get("study")
        studyVersion = try row.get("study_version")
        rulesDigest = try row.get("rules_digest")
        engineVersion = try row.get("engine_version")
        cause = try row.value("cause")
        requestedAt = try row.instant("requested_at")
        state = try row.value("state")
        sheetsTotal = try row.get("sheets_total")
        sheetsSeen = try row.get("sheets_seen")
        rowsAdded = try row.get("rows_added")
        damaged = try row.get("damaged")
        finishedAt = try row.instantOptional("finished_at")
        failure = try row.getOptional("failure")
        batches = try row.get("batches")
        rule = ScoringInForce.Place(
            questionnaire: try row.get("at_questionnaire"), version: try row.get("at_version"))
        place = SheetPlace(
            enrolment: try row.get("at_enrolment"), sheet: try row.get("at_sheet"),
            revision: try row.get("at_revision"))
    }
}
