import SaunterCore

/// Reminders as participants and their devices see them.
enum ReminderWire {
    static let snoozeSchema = Schema.named(
        "Snoozed", .object([.required("occasion_id", .id), .required("until", .instant)]))

    static let kinds = Schema.string(values: PromptKind.allCases.map(\.rawValue))

    static let messageSchema = Schema.named(
        "Message",
        .object([
            .required("message_id", .id), .required("sent_at", .nullable(.instant)),
            .required("delivered_at", .nullable(.instant)), .required("opened_at", .nullable(.instant)),
            .required(
                "reminders",
                .array(
                    of: .object([
                        .required("kind", kinds), .required("ordinal", .integer(min: 1)),
                        .required(
                            "subject", .string(), "An occasion's id; of the daily mail a local date."),
                    ]))),
        ]))

    /// One for each message, in the order of the reminders.
    static func messages(_ records: [ReminderRecord]) -> [JSON] {
        var order: [MessageID] = []
        for record in records where !order.contains(record.message) { order.append(record.message) }
        let parts = Dictionary(grouping: records, by: \.message)
        return order.map { id in
            let own = parts[id] ?? []
            return [
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
        }
    }

    static let promptSchema = Schema.object([
        .required("at", .instant),
        .required("occasion_id", .nullable(.id), "The first of them; null where no occasion asks for it."),
        .required("questionnaire", .nullable(.string()), "That of the first."),
        .required("kinds", .array(of: kinds), "Why it goes out."),
        .required("occasion_ids", .array(of: .id), "All that it tells of, in the order of opening."),
        .required(
            "notices",
            .array(
                of: .object([
                    .required("notice", .string()), .required("subject", .string()),
                    .required("body", .string()),
                ])), "Messages that no occasion asks for, in the participant's language."),
    ])

    /// - Parameter words: those of a notice.
    static func prompt(
        _ message: PlannedMessage, words: (String) -> (subject: String, body: String)?
    ) -> JSON {
        let occasions = message.occasions
        let notices = message.prompts.compactMap(\.key.noticeCode).compactMap { code -> JSON? in
            words(code).map {
                ["notice": .string(code), "subject": .string($0.subject), "body": .string($0.body)]
            }
        }
        var kinds: [String] = []
        for prompt in message.prompts where !kinds.contains(prompt.key.kind.rawValue) {
            kinds.append(prompt.key.kind.rawValue)
        }
        return [
            "at": .instant(message.at), "occasion_id": .id(occasions.first?.id),
            "questionnaire": .optional(occasions.first) { .string($0.questionnaire) },
            "kinds": .array(kinds.map { .string($0) }),
            "occasion_ids": .array(occasions.map { .id($0.id) }), "notices": .array(notices),
        ]
    }
}
