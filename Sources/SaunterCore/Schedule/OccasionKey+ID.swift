import Crypto
import Foundation

extension OccasionKey {
    /// The id of this occasion of one enrolment: the first 16 bytes of SHA-256 over the framed fields, in the
    /// layout of a version 8 UUID (RFC 9562). Whoever plans again arrives at the same id.
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

    /// Enrolment, schedule, anchor instance, day index and slot index as bytes; framed, nothing else has the
    /// same.
    func fields(of enrolment: EnrolmentID) -> [[UInt8]] {
        let uuid = withUnsafeBytes(of: enrolment.uuid.uuid) { Array($0) }
        return [
            Array("saunter.occasion".utf8), uuid, Array(schedule.utf8), Array(anchorInstance.utf8),
            bigEndian(Int64(dayIndex)), bigEndian(Int64(slotIndex)),
        ]
    }
}
