import Postgres
import SaunterCore

/// A changed record of a participant that the participant's devices must know, in its current state.
package struct OwnChange: Sendable {
    /// The change number of the study's feed.
    package var sequence: Int64
    /// The kind of the record that changed.
    package var kind: Change.Kind
    /// The id of the record in its usual text form.
    package var id: String
    /// Nil for a deleted record.
    package var body: JSON?
}

/// A position in the change feed of a study.
package struct ChangeCursor: Sendable, Hashable {
    /// The number of the last change that the reader has; 0 for none.
    package var sequence: Int64
    /// Identifies the database history that assigned the number. It changes when the database is restored to an earlier
    /// instant.
    package var history: String

    /// Creates the cursor after the change with this number.
    package init(sequence: Int64, history: String) {
        self.sequence = sequence
        self.history = history
    }
}

/// The cursor belongs to another database, or to an instant before a restore. Its sequence number can mean another
/// change here.
package struct UnknownCursor: Error {}

extension Store {
    /// Changes of a participant's own records after a cursor of the study's feed, in the order of their numbers. A late
    /// commit gets a later number, as in the feed.
    /// - Parameter cursor: nil for all changes.
    /// - Returns: the changes, and the history to which their numbers belong.
    /// - Throws: `UnknownCursor`.
    package func listOwnChanges(
        of enrolment: EnrolmentID, _ study: String, after cursor: ChangeCursor?, limit: Int
    ) async throws -> (history: String, changes: [OwnChange]) {
        let row = try await research.query(
            Statements.deviceChanges["find_change_state"],
            ["enrolment_id": .id(enrolment), "study": .text(study)]
        ).one()
        let last: Int64 = try row.get("last_seq")
        let history: String = try row.get("history")
        if let cursor {
            guard cursor.history == history, cursor.sequence <= last else { throw UnknownCursor() }
        }
        if try row.get("is_waiting", as: Bool.self) { try await numberChanges(of: enrolment, study) }
        let changes = try await research.query(
            Statements.deviceChanges["list_own_changes"],
            [
                "enrolment_id": .id(enrolment), "after": .int8(cursor?.sequence ?? 0),
                "limit_rows": .int(limit),
            ]
        ).map { row in
            let id: ID<OwnChange> = try row.id("subject_id")
            return OwnChange(
                sequence: try row.get("change_seq"), kind: try row.value("kind"), id: id.description,
                body: try row.getOptional("body", as: String.self).map { try JSONReader.read($0) })
        }
        return (history, changes)
    }

    /// Gives a number to every committed change of the participant.
    private func numberChanges(of enrolment: EnrolmentID, _ study: String) async throws {
        try await research.writeRetrying(idempotent: true) { transaction in
            let last = try await transaction.query(
                Statements.changes["lock_change_counter"], ["study": .text(study)]
            ).one().get("last_seq", as: Int64.self)
            let reached = try await transaction.query(
                Statements.deviceChanges["number_own_changes"],
                ["enrolment_id": .id(enrolment), "after": .int8(last)]
            ).one().get("last_seq", as: Int64.self)
            guard reached != last else { return }
            _ = try await transaction.query(
                Statements.changes["set_change_counter"], ["study": .text(study), "last_seq": .int8(reached)])
        }
    }
}
