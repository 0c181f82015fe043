import SaunterCore

/// A message in a dry run: the daily mail, a message by the study's rules about single occasions, or one by a decision
/// rule.
package struct SimulatedReminder: Sendable, Hashable {
    /// When the message is sent.
    package var at: Instant
    /// The participant's local date at that time.
    package var date: LocalDate
    /// How many occasions it announces; 0 for a notification and for a decision rule.
    package var count: Int
    /// How many of these were already answered on a device without network.
    package var answeredCount: Int
    /// The code of the decision rule; nil for another message.
    package var rule: String?
}
