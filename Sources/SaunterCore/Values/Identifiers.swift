import Foundation

/// A UUID that says what it names, so that a walk's id can never be handed in for a sheet's.
/// Written in lower case everywhere outside Swift.
package struct ID<Tag>: Hashable, Sendable, CustomStringConvertible, Comparable {
    package let uuid: UUID

    package init(_ uuid: UUID) {
        self.uuid = uuid
    }

    /// Reads the 36-character form only (any letter case); nil for anything else, braces and short forms included. It is read here, because
    /// Foundation also takes blanks and signs in the place of digits.
    package init?(_ text: some StringProtocol) {
        self.init(String(text))
    }

    /// As the other: whoever has a string needs no generic code.
    package init?(_ text: String) {
        guard let uuid = UUIDText.read(text) else { return nil }
        self.uuid = uuid
    }

    package var description: String { UUIDText.write(uuid) }

    /// The order of their texts, which is that of their bytes.
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

package enum AccountTag {}
package enum EnrolmentTag {}
package enum OccasionTag {}
package enum SheetTag {}
package enum CalibrationTag {}
package enum WalkTag {}
package enum ObservationTag {}
package enum ExportTag {}
package enum RescoringTag {}
package enum MessageTag {}
package enum UsageEventTag {}
package enum AmendmentTag {}
package enum DeviceTag {}

package typealias AccountID = ID<AccountTag>
package typealias EnrolmentID = ID<EnrolmentTag>
package typealias OccasionID = ID<OccasionTag>
package typealias SheetID = ID<SheetTag>
package typealias CalibrationID = ID<CalibrationTag>
package typealias WalkID = ID<WalkTag>
package typealias ObservationID = ID<ObservationTag>
package typealias ExportID = ID<ExportTag>
package typealias RescoringID = ID<RescoringTag>
package typealias MessageID = ID<MessageTag>
package typealias UsageEventID = ID<UsageEventTag>
package typealias AmendmentID = ID<AmendmentTag>
package typealias DeviceID = ID<DeviceTag>
