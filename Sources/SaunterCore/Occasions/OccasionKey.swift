import Crypto
import Foundation

/// The identity of a planned measurement. Local times, zones and versions are not part of it, so edits and travel keep
/// the identity.
package struct OccasionKey: Sendable, Hashable {
    /// Id of the schedule.
    package var schedule: String
    /// Id of the walk or sheet for repeated anchors. Empty for anchors that happen once.
    package var anchorInstance: String
    /// Number of days after the anchor's local date.
    package var dayIndex: Int
    /// Index of the window on its day, from 0. A random slot uses one index per instant.
    package var slotIndex: Int

    /// Creates a key from its parts.
    package init(schedule: String, anchorInstance: String, dayIndex: Int, slotIndex: Int) {
        self.schedule = schedule
        self.anchorInstance = anchorInstance
        self.dayIndex = dayIndex
        self.slotIndex = slotIndex
    }
}

extension OccasionKey {
    /// The id of this occasion for one enrolment: the first 16 bytes of SHA-256 over the framed fields, as a version 8
    /// UUID (RFC 9562). Replanning always returns the same id.
    package func id(of enrolment: EnrolmentID) -> OccasionID {
        var digest = Array(SHA256.hash(data: framed(fields(of: enrolment))).prefix(16))
        digest[6] = digest[6] & 0x0F | 0x80
        digest[8] = digest[8] & 0x3F | 0x80
        return OccasionID(
            UUID(
                uuid: (
                    digest[0], digest[1], digest[2], digest[3], digest[4], digest[5], digest[6], digest[7],
                    digest[8], digest[9], digest[10], digest[11], digest[12], digest[13], digest[14],
                    digest[15]
                )))
    }

    /// Enrolment, schedule, anchor instance, day index and slot index as bytes. `framed` makes the concatenation
    /// unambiguous.
    func fields(of enrolment: EnrolmentID) -> [[UInt8]] {
        let uuid = withUnsafeBytes(of: enrolment.uuid.uuid) { Array($0) }
        return [
            Array("saunter.occasion".utf8), uuid, Array(schedule.utf8), Array(anchorInstance.utf8),
            bigEndian(Int64(dayIndex)), bigEndian(Int64(slotIndex)),
        ]
    }
}
