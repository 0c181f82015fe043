import SaunterCore
import SaunterStore

/// Response bodies for reminders and messages.
enum ReminderResponse {
    static let snoozeSchema = Schema.named(
        "Snoozed",
        .object([
            .required("occasion_id", .id, "The id of the occasion."),
            .required("until", .instant, "When the reminder comes again."),
        ]))

    static let kinds = Schema.string(values: ReminderKind.allCases.map(\.rawValue))

    private static let messageMembers: [Schema.Member] = [
        .required("message_id", .id, "The id of the message."),
        .required("sent_at", .nullable(.instant), "When the message was sent; null if it was not."),
        .required(
            "delivered_at", .nullable(.instant), "When the app reported the delivery; null if it did not."
        ),
        .required(
            "opened_at", .nullable(.instant),
            "When the app reported that the participant opened it; null if it did not."),
        .required(
            "reminders",
            .array(
                of: .object([
                    .required("kind", kinds, "Why the participant is reminded."),
                    .required(
                        "ordinal", .integer(min: 1),
                        "1 for the first reminder of this kind for the occasion, then 2, and so on."),
                    .required(
                        "subject", .string(), "The id of an occasion. For the daily mail, a local date."),
                ])), "The reminders in the message."),
    ]

    static let messageSchema = Schema.named("Message", .object(messageMembers))
    static let listedMessageSchema = Schema.named(
        "ListedMessage",
        .object(
            messageMembers + [
                .required(
                    "notices", notices, "Notifications in the message, in the participant's language.")
            ]))

    /// One entry for each message, in the order of its first reminder.
    /// - Parameter texts: returns the subject and body of the notification with a code. Without it, the entries have no
    ///   `notices`.
    static func messages(
        _ records: [ReminderRecord], texts: ((String) -> (subject: String, body: String)?)? = nil
    ) -> [JSON] {
        var order: [MessageID] = []
        for record in records where !order.contains(record.message) { order.append(record.message) }
        let parts = Dictionary(grouping: records, by: \.message)
        return order.map { id in
            let own = parts[id] ?? []
            var message: JSONObject = [
                "message_id": .id(id), "sent_at": .instant(own.compactMap(\.sentAt).min()),
                "delivered_at": .instant(own.compactMap(\.deliveredAt).min()),
                "opened_at": .instant(own.compactMap(\.openedAt).min()),
                "reminders": .array(
                    own.map {
                        [
                            "kind": .string($0.key.kind.rawValue), "ordinal": .int($0.key.ordinal),
                            "subject": .string($0.key.subject),
                        ]
                    }),
            ]
            if let texts { message["notices"] = notices(own.map(\.key), texts: texts) }
            return .object(message)
        }
    }

    /// A message of the inbox that no channel has sent.
    static func unsent(_ message: InboxMessage) -> JSON {
        [
            "message_id": .id(message.id), "sent_at": nil, "delivered_at": nil,
            "opened_at": .instant(message.openedAt), "reminders": [],
        ]
    }

    private static let notices = Schema.array(
        of: .object([
            .required("notice", .string(), "The code of the notification in the study."),
            .required("subject", .string(), "The subject in the participant's language."),
            .required("body", .string(), "The text in the participant's language."),
        ]))

    private static func notices(
        _ keys: [ReminderKey], texts: (String) -> (subject: String, body: String)?
    ) -> JSON {
        .array(
            keys.compactMap(\.notificationCode).compactMap { code -> JSON? in
                texts(code).map {
                    ["notice": .string(code), "subject": .string($0.subject), "body": .string($0.body)]
                }
            })
    }

    static let plannedMessageMembers: [Schema.Member] = [
        .required("at", .instant, "When the message is planned."),
        .required(
            "occasion_id", .nullable(.id),
            "The first of `occasion_ids`; null if the message is not about an occasion."),
        .required("questionnaire", .nullable(.string()), "The questionnaire of the first occasion."),
        .required("kinds", .array(of: kinds), "The kinds of reminders that the message combines."),
        .required(
            "occasion_ids", .array(of: .id),
            "All occasions that the message is about, in the order in which they open."),
        .required(
            "notices", notices, "Notifications that rules of the study send, in the participant's language."),
    ]
    static let plannedMessageSchema = Schema.object(plannedMessageMembers)

    /// A planned message.
    /// - Parameter texts: returns the subject and body of the notification with a code; nil if it has no text.
    static func plannedMessage(
        _ message: PlannedMessage, texts: (String) -> (subject: String, body: String)?
    ) -> JSON {
        let occasions = message.occasions
        var kinds: [String] = []
        for reminder in message.reminders where !kinds.contains(reminder.key.kind.rawValue) {
            kinds.append(reminder.key.kind.rawValue)
        }
        return [
            "at": .instant(message.at), "occasion_id": .id(occasions.first?.id),
            "questionnaire": .optional(occasions.first) { .string($0.questionnaire) },
            "kinds": .array(kinds.map { .string($0) }),
            "occasion_ids": .array(occasions.map { .id($0.id) }),
            "notices": notices(message.reminders.map(\.key), texts: texts),
        ]
    }
}
