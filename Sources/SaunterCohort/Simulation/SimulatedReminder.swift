import SaunterCore

/// A message that goes out in a dry run: the daily mail, or what the study's rules send of single occasions.
package struct SimulatedReminder: Sendable, Hashable {
    package var at: Instant
    package var date: LocalDate
    /// How many occasions it tells of; none for a notice.
    package var count: Int
    /// Of these, how many were answered already, on a device that had no network.
    package var answeredCount: Int
}
