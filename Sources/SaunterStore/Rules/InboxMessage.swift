import Foundation
import Postgres
import SaunterCore

/// A message of a rule in a participant's inbox.
package struct InboxMessage: Sendable {
    /// The id under which clients know the message.
    package var id: MessageID
    /// The code of the rule.
    package var rule: String
    /// When the rule decided.
    package var createdAt: Instant
    /// From this instant on, no channel sends it.
    package var expiresAt: Instant
    /// One line, with `{{name}}` for the participant's name.
    package var subject: String
    /// Plain text, with `{{name}}` for the participant's name.
    package var body: String
    /// An https address, or a path in the app; nil for the first page.
    package var target: String?
    /// The content that it shows; nil for none.
    package var content: (collection: String, item: SelectedItem)?
    /// The channels that may send it; nil for all channels of the participant.
    package var channels: [ReminderChannel]?
    /// When the participant opened it.
    package var openedAt: Instant?
    /// When the participant did what it suggests.
    package var actedAt: Instant?
    /// When the participant dismissed it.
    package var dismissedAt: Instant?
}

/// What a device reports about a message of the inbox.
package struct InboxReceipt: Sendable {
    /// When the participant opened it; nil if it is not reported.
    package var openedAt: Instant?
    /// When the participant did what it suggests; nil if it is not reported.
    package var actedAt: Instant?
    /// When the participant dismissed it; nil if it is not reported.
    package var dismissedAt: Instant?

    /// Creates a receipt.
    package init(openedAt: Instant?, actedAt: Instant?, dismissedAt: Instant?) {
        self.openedAt = openedAt
        self.actedAt = actedAt
        self.dismissedAt = dismissedAt
    }
}

extension Store {
    /// A message by its id, or by the id under which a channel sent it; nil if there is none.
    package func findInboxMessage(_ id: MessageID, of enrolment: EnrolmentID) async throws -> InboxMessage? {
        try await research.query(
            Statements.rules["find_inbox_message"],
            ["enrolment_id": .id(enrolment), "message_id": .id(id)]
        ).oneOrNone().map(Self.inboxMessage)
    }

    /// A page of the inbox, the newest message first.
    /// - Parameters:
    ///   - onlyUnread: only messages that the participant has neither opened nor dismissed.
    ///   - position: the last message of the page before; nil for the first page.
    package func listInboxMessages(
        of enrolment: EnrolmentID, onlyUnread: Bool, after position: (moment: Instant, id: UUID)?, limit: Int
    ) async throws -> [InboxMessage] {
        try await research.query(
            Statements.rules["list_inbox_messages"],
            [
                "enrolment_id": .id(enrolment), "unread": .bool(onlyUnread),
                "before": .instant(position?.moment ?? .maximum),
                "before_id": .uuid(position?.id ?? .last), "limit_rows": .int(limit),
            ]
        ).map(Self.inboxMessage)
    }

    /// Stores what a device reports. The earliest instant of each kind is kept.
    /// - Returns: the message; nil if the inbox has none with this id.
    package func mark(
        _ id: MessageID, of enrolment: EnrolmentID, _ receipt: InboxReceipt
    ) async throws -> InboxMessage? {
        guard let message = try await findInboxMessage(id, of: enrolment) else { return nil }
        return try await research.writeRetrying(idempotent: true) { transaction in
            try await transaction.query(
                Statements.rules["mark_inbox_message"],
                [
                    "enrolment_id": .id(enrolment), "message_id": .id(message.id),
                    "opened_at": .instant(receipt.openedAt), "acted_at": .instant(receipt.actedAt),
                    "dismissed_at": .instant(receipt.dismissedAt),
                ]
            ).oneOrNone().map(Self.inboxMessage)
        }
    }

    private static func inboxMessage(_ row: Row) throws -> InboxMessage {
        let collection: String? = try row.getOptional("collection")
        let item: String? = try row.getOptional("item")
        let edition: Int? = try row.getOptional("edition")
        let channels: [String?]? = try row.getOptional("channels")
        return InboxMessage(
            id: try row.id("message_id"), rule: try row.get("rule"),
            createdAt: try row.instant("created_at"), expiresAt: try row.instant("expires_at"),
            subject: try row.get("subject"), body: try row.get("body"),
            target: try row.getOptional("target"),
            content: collection.flatMap { collection in
                guard let item, let edition else { return nil }
                return (collection, SelectedItem(item: item, edition: edition))
            }, channels: channels?.compactMap { $0.flatMap { ReminderChannel(rawValue: $0) } },
            openedAt: try row.instantOptional("opened_at"), actedAt: try row.instantOptional("acted_at"),
            dismissedAt: try row.instantOptional("dismissed_at"))
    }
}
