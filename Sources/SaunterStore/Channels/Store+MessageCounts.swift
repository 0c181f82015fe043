import Postgres
import SaunterCore

/// What became of a participant's messages.
package struct MessageCounts: Sendable, Hashable {
    /// Handed over to a channel.
    package var sent = 0
    /// Of which a device said that they have arrived.
    package var confirmed = 0
    /// Reached nobody by any channel.
    package var undelivered = 0
    /// Whether they went out is not known, so they were not sent again.
    package var uncertain = 0
    package var lastUndeliveredAt: Instant?

    package init() {}
}

extension Store {
    /// Of those who had any message.
    package func countMessages(of enrolments: [EnrolmentID]) async throws -> [EnrolmentID: MessageCounts] {
        var found: [EnrolmentID: MessageCounts] = [:]
        for row in try await export.query(Statements.reminders["count_messages"], [.ids(enrolments)]) {
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
