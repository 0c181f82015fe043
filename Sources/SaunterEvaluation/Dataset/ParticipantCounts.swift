import Postgres
import SaunterCore

/// How many enrolments a dataset includes, and how many participants and records it leaves out.
package struct ParticipantCounts: Sendable, Hashable {
    /// The number of enrolments in the dataset.
    package let enrolments: Int
    /// The number of enrolments that were excluded at the request of their participant.
    package let excluded: Int
    /// Participants who were erased.
    package let erased: Int
    /// The number of walks that their participants deleted.
    package let deletedWalks: Int
    /// The number of observations that their participants deleted.
    package let deletedObservations: Int
    /// Sheets whose answers were removed from the database when their participants deleted them.
    package let purgedSheets: Int

    /// The counts as a profile shows them. The profile `public` withholds counts from 1 to `minimumParticipants` − 1.
    func json(_ profile: DatasetProfile) -> JSON {
        func count(_ participants: Int) -> JSON {
            profile == .public && (1..<DatasetProfile.minimumParticipants).contains(participants)
                ? .null : .int(participants)
        }
        return [
            "enrolments": count(enrolments), "excluded_enrolments": count(excluded),
            "erased_people": count(erased), "deleted_walks": count(deletedWalks),
            "deleted_observations": count(deletedObservations), "purged_sheets": count(purgedSheets),
        ]
    }

    init(_ row: Row) throws {
        enrolments = try row.get("enrolments")
        excluded = try row.get("excluded")
        erased = try row.get("erased")
        deletedWalks = try row.get("deleted_walks")
        deletedObservations = try row.get("deleted_observations")
        purgedSheets = try row.get("purged_sheets")
    }
}
