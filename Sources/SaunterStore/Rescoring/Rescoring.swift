import Postgres
import SaunterCore

/// A job that scores the stored sheets of a study by the active keys.
package struct Rescoring: Sendable {
    /// The progress of the job.
    package enum State: String, Sendable, CaseIterable {
        case queued, running
        /// All stored sheets are scored. After a delay the job looks once more for sheets that were stored while the
        /// keys changed.
        case settling
        case done
        /// Replaced by a job for newer keys.
        case superseded
        case failed

        /// Whether a worker still has to process the job.
        package var isUnfinished: Bool { [.queued, .running, .settling].contains(self) }
    }

    /// Why the job was created.
    package enum Cause: String, Sendable, CaseIterable {
        case publication, engine, request
    }

    /// The id of the job, part of its URL.
    package var id: RescoringID
    /// The code of the study.
    package var study: String
    /// The version that was live when the job was created.
    package var studyVersion: String
    /// The digest of the keys that the job applies.
    package var rulesDigest: String
    /// The version of the scoring engine that created the job.
    package var engineVersion: String
    /// Why the job was created.
    package var cause: Cause
    /// When the job was created, by the server's clock.
    package var requestedAt: Instant
    /// The progress of the job.
    package var state: State
    /// The number of sheet revisions to check, counted when the job was created.
    package var sheetsTotal: Int
    /// The number of sheet revisions that have been checked.
    package var sheetsSeen: Int
    /// The number of scores that were added, or replaced because another covariate is known.
    package var rowsAdded: Int
    /// The number of sheets whose stored answers do not fit their version.
    package var damaged: Int
    /// When the job ended, with any result; nil before.
    package var finishedAt: Instant?
    /// Why the job failed, for researchers; nil unless it failed.
    package var failure: String?
    /// The number of committed batches.
    var batches: Int
    /// The key that the job has reached, and the sheet revision after which it continues.
    var rule: ActiveScoringKeys.Version
    var position: SheetRevisionKey

    /// The finished share, from 0 to 1.
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
        rule = ActiveScoringKeys.Version(
            questionnaire: try row.get("at_questionnaire"), version: try row.get("at_version"))
        position = SheetRevisionKey(
            enrolment: try row.get("at_enrolment"), sheet: try row.get("at_sheet"),
            revision: try row.get("at_revision"))
    }
}
