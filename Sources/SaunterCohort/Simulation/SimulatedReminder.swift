import SaunterCore

/// A message in a dry run: the daily mail, or a message by the study's rules about single occasions.
package struct SimulatedReminder: Sendable, Hashable {
    package var at: Instant
    package var date: LocalDate
    /// How many occasions it announces; 0 for a notification.
    package var count: Int
    /// How many of these were already answered on a device without network.
    package var answeredCount: Int
}
