import Foundation
import SaunterCore

extension Instant {
    /// The time of the system clock, rounded down to milliseconds.
    static func current() -> Instant {
        Instant(milliseconds: Int64((Date().timeIntervalSince1970 * 1000).rounded(.down)))
    }
}
