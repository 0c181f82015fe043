import Foundation
import Postgres
import SaunterCore

/// Something of a participant's own that a device has to know anew, as it stands now.
package struct OwnChange: Sendable {
    package var sequence: Int64
    package var kind: Change.Kind
    package var id: String
    /// Nil for what was deleted.
    package var body: JSON?
}

/// Up to where somebody knows a study's changes.
package struct ChangePlace: Sendable, Hashable {
    package var sequence: Int64
    /// Of the database that gave the number out: it changes whenever the database is brought back to an earlier moment.
    package var history: String

    package init(sequence: Int64, history: String) {
        self.sequence = sequence
        self.history = history
    }
}

/// A place that this database has not given out: of before it was restored, or of another one. What was numbered there may be anything.
package struct ForeignPlace: Error {}

extension Store {
    /// Notes that numbered things of a device have arrived. Beyond its bounds nothing is noted: then they are sent again at most.
    package func note(
        _ device: DeviceID, of enrolment: EnrolmentID, sequences: [Int64], now: Instant
    ) async throws {
        _ = try await research.writeRetrying(repeatable: true) { transaction in
            try await transaction.query(
                Statements.devices["note_device"],
                [.id(enrolment), .id(device), .instant(now), .int8s(sequences)])
        }
    }

    package func findDevice(_ enrolment: EnrolmentID, _ device: DeviceID) async throws -> StoredDevice? {
        try await research.query(Statements.devices["find_device"], [.id(enrolment), .id(device)])
            .oneOrNone().map(StoredDevice.init)
    }

    /// Devices of a study's participants, in the order of the pseudonyms, from after the given place on.
    package func listDevices(
        _ study: String, after: (participant: String, device: DeviceID)?, limit: Int
    ) async throws -> [(participant: String, device: StoredDevice)] {
        try await research.query(
            Statements.devices["list_devices"],
            [
                .text(study), .text(after?.participant ?? ""), .uuid(after?.device.uuid ?? .first),
                .int(limit),
            ]
        ).map { (try $0.get("participant_id"), try StoredDevice($0)) }
    }

    /// What changed of a participant's own after a place in the study's feed, in the order of the numbers; a commit that comes late gets a later number,
    /// as in the feed.
    /// - Parameter place: nil for everything.
    /// - Returns: the history to which the numbers belong, too.
    /// - Throws: `ForeignPlace`.
    package func listOwnChanges(
        of enrolment: EnrolmentID, _ study: String, after place: ChangePlace?, limit: Int
    ) async throws -> (history: String, changes: [OwnChange]) {
        let row = try await research.query(
            Statements.deviceChanges["find_change_state"], [.id(enrolment), .text(study)]
        ).one()
        let last: Int64 = try row.get("last_seq")
        let history: String = try row.get("history")
        if let place {
            guard place.history == history, place.sequence <= last else { throw ForeignPlace() }
        }
        if try row.get("is_waiting", as: Bool.self) { try await numberOwnChanges(of: enrolment, study) }
        let changes = try await research.query(
            Statements.deviceChanges["list_own_changes"],
            [.id(enrolment), .int8(place?.sequence ?? 0), .int(limit)]
        ).map { row in
            let id: ID<OwnChange> = try row.id("subject_id")
            return OwnChange(
                sequence: try row.get("change_seq"), kind: try row.value("kind"), id: id.description,
                body: try row.getOptional("body", as: String.self).map { try JSONReader.read($0) })
        }
        return (history, changes)
    }

    private func numberOwnChanges(of enrolment: EnrolmentID, _ study: String) async throws {
        try await research.writeRetrying(repeatable: true) { transaction in
            let last = try await transaction.query(
                Statements.changes["lock_change_counter"], [.text(study)]
            ).one().get("last_seq", as: Int64.self)
            let reached = try await transaction.query(
                Statements.deviceChanges["number_own_changes"], [.id(enrolment), .int8(last)]
            ).one().get("last_seq", as: Int64.self)
            guard reached != last else { return }
            _ = try await transaction.query(
                Statements.changes["set_change_counter"], [.text(study), .int8(reached)])
        }
    }
}
