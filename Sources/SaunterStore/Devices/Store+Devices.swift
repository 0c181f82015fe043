import Foundation
import Postgres
import SaunterCore

extension Store {
    /// Stores which sequence numbers of a device have arrived. Numbers above the limits (100 devices per participant,
    /// 1,000 gaps per device) are not stored; at worst the device sends these records again.
    package func recordSequences(
        _ device: DeviceID, of enrolment: EnrolmentID, sequences: [Int64], now: Instant
    ) async throws {
        _ = try await research.writeRetrying(idempotent: true) { transaction in
            try await transaction.query(
                Statements.devices["record_device"],
                [
                    "enrolment_id": .id(enrolment), "device_id": .id(device), "now": .instant(now),
                    "sequences": .int8s(sequences),
                ])
        }
    }

    /// One device of a participant.
    package func findDevice(_ enrolment: EnrolmentID, _ device: DeviceID) async throws -> StoredDevice? {
        try await research.query(
            Statements.devices["find_device"], ["enrolment_id": .id(enrolment), "device_id": .id(device)]
        )
        .oneOrNone().map(StoredDevice.init)
    }

    /// The devices of one participant, in the order in which they were first used.
    package func listDevices(of enrolment: EnrolmentID) async throws -> [StoredDevice] {
        try await research.query(
            Statements.devices["list_participant_devices"], ["enrolment_id": .id(enrolment)]
        ).map(StoredDevice.init)
    }

    /// How many records of each participant have a number and have not arrived. Participants without such records are
    /// absent.
    package func countMissingRecords(of enrolments: [EnrolmentID]) async throws -> [EnrolmentID: Int] {
        let rows = try await export.query(
            Statements.devices["count_missing_records"], ["enrolment_ids": .ids(enrolments)])
        var counts: [EnrolmentID: Int] = [:]
        for row in rows { counts[try row.id("enrolment_id")] = try row.get("missing_count", as: Int.self) }
        return counts
    }

    /// Devices of a study's participants, in the order of the pseudonyms, after the given cursor.
    /// - Parameter missing: whether only devices are listed of which a record has not arrived.
    package func listDevices(
        _ study: String, missing: Bool = false, after: (participant: String, device: DeviceID)?, limit: Int
    ) async throws -> [(participant: String, device: StoredDevice)] {
        try await research.query(
            Statements.devices["list_devices"],
            [
                "study": .text(study), "only_missing": .bool(missing),
                "after": .text(after?.participant ?? ""),
                "after_id": .uuid(after?.device.uuid ?? .first),
                "limit_rows": .int(limit),
            ]
        ).map { (try $0.get("participant_id"), try StoredDevice($0)) }
    }
}
