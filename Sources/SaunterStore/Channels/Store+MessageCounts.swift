import Postgres
import SaunterCore

/// The numbers of a participant's messages, by result.
package struct MessageCounts: Sendable, Hashable {
    /// Accepted by a channel.
    package var sent = 0
    /// The number of sent messages that a device reported as delivered.
    package var confirmed = 0
    /// Failed on every channel.
    package var undelivered = 0
    /// It is unknown whether they were sent, so they were not sent again.
    package var uncertain = 0
    /// When a message last failed on every channel; nil if none did.
    package var lastUndeliveredAt: Instant?

    /// Creates counts of 0.
    package init() {}
}

extension Store {
    /// The counts of those participants who have a message.
    package func countMessages(of enrolments: [EnrolmentID]) async throws -> [EnrolmentID: MessageCounts] {
        var found: [EnrolmentID: MessageCounts] = [:]
        for row in try await export.query(
            Statements.reminders["count_messages"], ["enrolment_ids": .ids(enrolments)])
        {
            var counts = MessageCounts()
            counts.sent = try row.get("sent")
            counts.confirmed = try row.get("confirmed")
            counts.undelivered = try row.get("undelivered")
            counts.uncertain = try row.get("uncertain")
            counts.lastUndeliveredAt = try row.instantOptional("last_undelivered_at")
            found[try row.id("enrolment_id")] = counts
        }
        return found
    }
}
