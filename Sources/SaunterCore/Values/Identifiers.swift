import Foundation

/// A UUID with a type tag. The compiler rejects, for example, the id of a walk where the id of a sheet is expected.
/// Outside Swift, ids are written in lower case.
package struct ID<Tag>: Hashable, Sendable, CustomStringConvertible, Comparable {
    /// The UUID without its type.
    package let uuid: UUID

    /// Creates an id from a UUID.
    package init(_ uuid: UUID) {
        self.uuid = uuid
    }

    /// Parses the 36-character form in any letter case. Returns nil for any other text, including braces and short
    /// forms. `UUIDText` parses it, because Foundation also accepts blanks and signs instead of digits.
    package init?(_ text: some StringProtocol) {
        self.init(String(text))
    }

    /// An overload for `String`, which avoids unspecialized generic code.
    package init?(_ text: String) {
        guard let uuid = UUIDText.read(text) else { return nil }
        self.uuid = uuid
    }

    /// The UUID in lower case.
    package var description: String { UUIDText.write(uuid) }

    /// Compares by bytes. The order of the texts is the same.
    package static func < (left: Self, right: Self) -> Bool {
        left.words < right.words
    }

    private var words: (UInt64, UInt64) {
        withUnsafeBytes(of: uuid.uuid) { bytes in
            (
                UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)),
                UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
            )
        }
    }
}

/// Marks ids of accounts.
package enum AccountTag {}
/// Marks ids of enrolments.
package enum EnrolmentTag {}
/// Marks ids of occasions.
package enum OccasionTag {}
/// Marks ids of answer sheets.
package enum SheetTag {}
/// Marks ids of calibrations.
package enum CalibrationTag {}
/// Marks ids of walks.
package enum WalkTag {}
/// Marks ids of observations.
package enum ObservationTag {}
/// Marks ids of export jobs.
package enum ExportTag {}
/// Marks ids of rescoring jobs.
package enum RescoringTag {}
/// Marks ids of messages.
package enum MessageTag {}
/// Marks ids of usage events.
package enum UsageEventTag {}
/// Marks ids of edits.
package enum EditTag {}
/// Marks ids of devices.
package enum DeviceTag {}

/// The id of a user account.
package typealias AccountID = ID<AccountTag>
/// The id of one participant's enrolment in one study.
package typealias EnrolmentID = ID<EnrolmentTag>
/// The id of one planned measurement.
package typealias OccasionID = ID<OccasionTag>
/// The id of an answer sheet. The client creates it.
package typealias SheetID = ID<SheetTag>
/// The id of a calibration of the walking speed. The client creates it.
package typealias CalibrationID = ID<CalibrationTag>
/// The id of a recorded walk. The client creates it.
package typealias WalkID = ID<WalkTag>
/// The id of an observation. The client creates it, or the server derives it from a data point.
package typealias ObservationID = ID<ObservationTag>
/// The id of an export job.
package typealias ExportID = ID<ExportTag>
/// The id of a rescoring job.
package typealias RescoringID = ID<RescoringTag>
/// The id of an outgoing message.
package typealias MessageID = ID<MessageTag>
/// The id of a usage event. The client creates it.
package typealias UsageEventID = ID<UsageEventTag>
/// The id of an edit, a correction or deletion of a record. The client creates it.
package typealias EditID = ID<EditTag>
/// The id of a registered device.
package typealias DeviceID = ID<DeviceTag>
