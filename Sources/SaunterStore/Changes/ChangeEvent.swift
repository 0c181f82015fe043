import Foundation
import Postgres
import SaunterCore

/// One entry of a study's change feed without the record: what changed, and whose record it is.
package struct ChangeEvent: Sendable, Hashable {
    /// The number of the change; see `Change.sequence`.
    package var sequence: Int64
    /// The kind of the changed record.
    package var kind: Change.Kind
    /// The id of the record; nil for an erased participant.
    package var subject: String?
    /// The participant's pseudonym; nil if the record is deleted.
    package var participantID: String?
    /// Whether the record is deleted, erased, or excluded from datasets with its participant.
    package var isDeleted: Bool

    /// Creates an entry.
    package init(
        sequence: Int64, kind: Change.Kind, subject: String?, participantID: String?, isDeleted: Bool
    ) {
        self.sequence = sequence
        self.kind = kind
        self.subject = subject
        self.participantID = participantID
        self.isDeleted = isDeleted
    }
}

extension Store {
    /// Assigns numbers to waiting changes of the study, if there are any.
    /// - Returns: the last assigned number.
    package func numberWaitingChanges(of study: String) async throws -> Int64 {
        let row = try await research.query(
            Statements.changes["find_feed_state"], ["study": .text(study)]
        ).one()
        guard try row.get("is_waiting") else { return try row.get("last_seq") }
        return try await numberChanges(of: study, batches: 10)
    }

    /// Changes after this number, in the order of the numbers, without the records. Runs under the role of datasets,
    /// which cannot read identities.
    package func listChangeEvents(of study: String, after: Int64, limit: Int) async throws -> [ChangeEvent] {
        try await export.query(
            Statements.changes["list_change_events"],
            ["study": .text(study), "after": .int8(after), "limit_rows": .int(limit)]
        ).map { row in
            let isDeleted: Bool = try row.get("is_deleted")
            let subject: ID<Change>? = try row.idOptional("subject_id")
            return ChangeEvent(
                sequence: try row.get("change_seq"), kind: try row.value("kind"),
                subject: subject?.description,
                participantID: isDeleted ? nil : try row.getOptional("participant_id"), isDeleted: isDeleted)
        }
    }
}
