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

    /// What the app shows when it opens, the newest first: messages that are neither sent nor in the inbox.
    package func listPrompts(of enrolment: EnrolmentID, now: Instant) async throws -> [InboxMessage] {
        try await research.query(
            Statements.rules["list_prompts"], ["enrolment_id": .id(enrolment), "now": .instant(now)]
        ).map(Self.inboxMessage)
    }

    /// Plans that a message of the inbox is sent once more. The same instant again changes nothing.
    /// - Returns: the id of the message in the inbox.
    /// - Throws: `ConcurrentErasure`, `SnoozeRefusal`.
    package func snooze(
        _ id: MessageID, of enrolment: Enrolment, until: Instant, now: Instant
    ) async throws -> MessageID {
        guard let message = try await findInboxMessage(id, of: enrolment.id) else {
            throw SnoozeRefusal.unknownOccasion
        }
        guard until > now, until < message.expiresAt else { throw SnoozeRefusal.outsideWindow }
        let arguments: Arguments = ["enrolment_id": .id(enrolment.id), "inbox_message_id": .id(message.id)]
        try await research.writeRetrying(idempotent: true) { transaction in
            _ = try await Self.lockEnrolment(enrolment.id, in: transaction)
            let planned = try await transaction.query(Statements.rules["list_message_snoozes"], arguments)
                .map { try $0.instant("planned_at") }
            if planned.contains(until) { return }
            guard planned.count < Self.maximumSnoozes else { throw SnoozeRefusal.tooOften }
            _ = try await transaction.query(
                Statements.rules["insert_message_snooze"],
                [
                    "enrolment_id": .id(enrolment.id), "inbox_message_id": .id(message.id),
                    "message_id": .uuid(UUID()), "ordinal": .int(planned.count + 2),
                    "until": .instant(until), "expires_at": .instant(message.expiresAt),
                    "now": .instant(now),
                ])
        }
        return message.id
    }

    /// The awards of a participant, the oldest first.
    package func listAwards(
        of enrolment: EnrolmentID
    ) async throws -> [(code: String, rule: String, awardedAt: Instant)] {
        try await research.query(Statements.rules["list_awards"], ["enrolment_ids": .ids([enrolment])]).map {
            (try $0.get("award"), try $0.get("rule"), try $0.instant("awarded_at"))
        }
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

/// A message that is put into an inbox, and that channels may send.
struct NewInboxMessage: Sendable {
    let id: MessageID
    /// The code of the rule, or `broadcast`.
    let rule: String
    /// Unique among the participant's messages. A second message with the same key is not sent.
    let key: String
    let words: ComposedMessage
    /// Restricts the participant's channels; nil for no restriction.
    let channels: [ReminderChannel]?
    let countsForDay: Bool
    /// Whether each channel sends it. Otherwise the first one that works does.
    let sendsByAllChannels: Bool
    let sendAt: Instant
    let expiresAt: Instant
    var broadcast: UUID?
}

extension Store {
    /// Puts a message into the inbox, and queues it for the channels. Workers send queued messages like reminders.
    static func insert(
        _ message: NewInboxMessage, for enrolment: Enrolment, now: Instant, in transaction: Transaction
    ) async throws {
        let channels = enrolment.remindersOn || message.broadcast == nil ? enrolment.channels : []
        let sending = channels.filter { $0 != .inApp && message.channels?.contains($0) ?? true }
        let separate: [ReminderChannel?] =
            sending.isEmpty ? [nil] : message.sendsByAllChannels ? sending.map { $0 } : [nil]
        let content = message.words.content
        let state: ReminderState = sending.isEmpty ? .sent : .retrying
        _ = try await transaction.pipeline([
            (
                Statements.rules["insert_inbox_message"],
                [
                    "enrolment_id": .id(enrolment.id), "message_id": .id(message.id),
                    "rule": .text(message.rule), "now": .instant(now),
                    "expires_at": .instant(message.expiresAt), "subject": .text(message.words.subject),
                    "body": .text(message.words.body), "target": .text(message.words.target),
                    "collection": .text(content?.collection), "item": .text(content?.selected.item),
                    "edition": .int(content?.selected.edition), "counts_for_day": .bool(message.countsForDay),
                    "channels": .texts(message.channels?.map(\.rawValue)),
                    "broadcast_id": .uuid(message.broadcast),
                ]
            ),
            (
                Statements.rules["insert_rule_reminders"],
                [
                    "enrolment_id": .id(enrolment.id), "inbox_message_id": .id(message.id),
                    // The first channel sends the id of the inbox; the others have separate ids, so that no claim takes
                    // two channels.
                    "message_ids": .uuids(
                        separate.indices.map { $0 == 0 ? message.id.uuid : UUID() }),
                    "subjects": .texts(
                        separate.map { channel in
                            channel.map { "\(message.key)@\($0.rawValue)" } ?? message.key
                        }),
                    "channels": .texts(separate.map { $0?.rawValue }),
                    "states": .texts(separate.map { _ in state.rawValue }),
                    "planned_at": .instant(message.sendAt), "expires_at": .instant(message.expiresAt),
                    "now": .instant(now),
                ]
            ),
        ])
    }
}
