import Foundation

/// A UUID that says what it names, so that a walk's id can never be handed in for a sheet's.
/// Written in lower case everywhere outside Swift.
package struct ID<Tag>: Hashable, Sendable, CustomStringConvertible, Comparable {
    package let uuid: UUID

    package init(_ uuid: UUID) {
        self.uuid = uuid
    }

    /// Reads the 36-character form only (any letter case); nil for anything else, braces and short forms included. The form is checked
    /// here, because Foundation also takes blanks and signs in the place of digits.
    package init?(_ text: some StringProtocol) {
        guard text.utf8.count == 36, Self.isWellFormed(text.utf8), let uuid = UUID(uuidString: String(text))
        else { return nil }
        self.uuid = uuid
    }

    private static func isWellFormed(_ bytes: some Sequence<UInt8>) -> Bool {
        bytes.enumerated().allSatisfy { place, byte in
            switch place {
            case 8, 13, 18, 23: byte == UInt8(ascii: "-")
            default: (48...57).contains(byte) || (97...102).contains(byte | 0x20)
            }
        }
    }

    package var description: String { uuid.uuidString.lowercased() }

    package static func < (left: Self, right: Self) -> Bool {
        left.description < right.description
    }
}

package enum AccountTag {}
package enum EnrolmentTag {}
package enum OccasionTag {}
package enum SheetTag {}
package enum CalibrationTag {}
package enum WalkTag {}
package enum ExportTag {}
package enum RescoringTag {}
package enum MessageTag {}

package typealias AccountID = ID<AccountTag>
package typealias EnrolmentID = ID<EnrolmentTag>
package typealias OccasionID = ID<OccasionTag>
package typealias SheetID = ID<SheetTag>
package typealias CalibrationID = ID<CalibrationTag>
package typealias WalkID = ID<WalkTag>
package typealias ExportID = ID<ExportTag>
package typealias RescoringID = ID<RescoringTag>
package typealias MessageID = ID<MessageTag>
