import HTTPTypes
import SaunterCore
import SaunterReminders
import SaunterStore

/// The messages of decision rules, which stay in a participant's inbox.
struct InboxRoutes: Sendable {
    let context: ServerContext

    var list: Route {
        Route(
            .get, "/v1/enrolments/{id}/inbox", who: .participant, tag: "Reminders",
            summary: "List the messages of decision rules",
            description: """
                A message stays in the inbox, also if no channel could deliver it. `target` is where the message leads: \
                an https address, or a path of the app such as the code of a feature or of a questionnaire. A client \
                reports what the participant does with `PUT …/messages/{message_id}/receipt`.
                """,
            parameters: [.enrolment],
            query: [
                QueryParameter(
                    "state", .string(values: ["unread", "all"]),
                    "`unread`: only messages that were neither opened nor dismissed. The default is `all`."),
                .limit, .cursor,
            ],
            outcomes: [.json(.ok, "Messages, newest first.", .page(of: Self.schema))]
        ) { call in
            let enrolment = try await context.enrolment(call)
            let position = try call.listPosition()
            let found = try await context.store.listInboxMessages(
                of: enrolment.id, onlyUnread: call.query("state") == "unread",
                after: position.map { ($0.moment, $0.id) }, limit: call.pageLimit + 1)
            let page = found.prefix(call.pageLimit)
            let name =
                page.isEmpty ? "" : try await context.store.findRecipient(of: enrolment.id)?.name ?? ""
            let study = try await context.study(of: enrolment).study
            let next =
                found.count > page.count
                ? page.last.map { ListPosition(moment: $0.createdAt, id: $0.id.uuid).cursor } : nil
            return .page(
                page.map { Self.json($0, name: name, study) }, next: next,
                path: "/v1/enrolments/\(enrolment.id)/inbox", query: call.pageQuery,
                publicURL: context.configuration.publicURL)
        }
    }

    var prompts: Route {
        Route(
            .get, "/v1/enrolments/{id}/prompts", who: .participant, tag: "Reminders",
            summary: "Get what the app shows when it opens",
            description: """
                The server evaluates the rules of the study with the decision point `app_open` now. A prompt keeps its id \
                until it expires, and is left out as soon as a receipt says that it was opened, dismissed or done. \
                Prompts are not sent, are not in the inbox, and do not count for the daily maximum.
                """,
            parameters: [.enrolment],
            query: [
                QueryParameter(
                    "at", .string(values: ["app_open"]), "Why the app asks. The default is `app_open`.")
            ],
            outcomes: [
                .json(
                    .ok, "Prompts, newest first.",
                    .object([.required("items", .array(of: Self.schema), "The prompts.")]))
            ]
        ) { call in
            let enrolment = try await context.enrolment(call)
            let study = try await context.study(of: enrolment).study
            guard study.rules.contains(where: \.point.isAppOpen) else { return .json(.ok, ["items": []]) }
            try await context.rules.openApp(of: enrolment, now: call.now)
            let found = try await context.store.listPrompts(of: enrolment.id, now: call.now)
            let name =
                found.isEmpty ? "" : try await context.store.findRecipient(of: enrolment.id)?.name ?? ""
            return .json(.ok, ["items": .array(found.map { Self.json($0, name: name, study) })])
        }
    }

    var snooze: Route {
        Route(
            .put, "/v1/enrolments/{id}/messages/{message_id}/snooze", who: .participant, tag: "Reminders",
            summary: "Get a message of the inbox again later",
            description: """
                The server sends the message once more at `until`, which must be in the future and before the message \
                expires. A message can be snoozed \(Store.maximumSnoozes) times. The same instant again changes nothing.
                """,
            parameters: [.enrolment, .uuid("message_id", "The id that the message contains.")],
            body: .json(
                .object([.required("until", .instant, "When to send it again.")]),
                example: ["until": "2026-11-21T18:30:00.000Z"]),
            outcomes: [
                .json(
                    .ok, "The message is snoozed.",
                    .object([
                        .required("message_id", .id, "The id of the message."),
                        .required("until", .instant, "When it is sent again."),
                    ]))
            ], problems: [.enrolmentWithdrawn]
        ) { call in
            let enrolment = try await context.enrolment(call)
            guard enrolment.state == .active else { throw Problem(.enrolmentWithdrawn) }
            guard let until = call.body["until"]?.string.flatMap({ Instant($0) }) else {
                throw Problem(.bodyInvalid)
            }
            do {
                let id = try await context.store.snooze(
                    try call.id("message_id") as MessageID, of: enrolment, until: until, now: call.now)
                return .json(.ok, ["message_id": .id(id), "until": .instant(until)])
            } catch let refusal as SnoozeRefusal {
                throw SnoozeService.problem(refusal)
            }
        }
    }

    var awards: Route {
        Route(
            .get, "/v1/enrolments/{id}/awards", who: .participant, tag: "Reminders",
            summary: "List the awards of a participant", parameters: [.enrolment],
            outcomes: [
                .json(
                    .ok, "Awards, oldest first.",
                    .object([
                        .required(
                            "items",
                            .array(
                                of: .object([
                                    .required("award", .string(), "The code of the award."),
                                    .required("title", .string(), "Its name in the participant's language."),
                                    .required("text", .string(), "What it is for."),
                                    .required("rule", .string(), "The code of the rule that granted it."),
                                    .required("awarded_at", .instant, "When it was granted."),
                                ])), "The awards.")
                    ]))
            ]
        ) { call in
            let enrolment = try await context.enrolment(call)
            let study = try await context.study(of: enrolment).study
            let texts = (study.text[enrolment.language] ?? study.text[study.languages.first ?? ""])?.awards
            let found = try await context.store.listAwards(of: enrolment.id)
            return .json(
                .ok,
                [
                    "items": .array(
                        found.map { award in
                            [
                                "award": .string(award.code),
                                "title": .string(texts?[award.code]?.title ?? award.code),
                                "text": .string(texts?[award.code]?.text ?? ""), "rule": .string(award.rule),
                                "awarded_at": .instant(award.awardedAt),
                            ]
                        })
                ])
        }
    }

    private static func json(_ message: InboxMessage, name: String, _ study: Study) -> JSON {
        let text = ReminderText.filled(message, name: name)
        return [
            "message_id": .id(message.id), "rule": .string(message.rule), "subject": .string(text.subject),
            "body": .string(text.body), "target": .optional(message.target, JSON.string),
            "path": .string(study.address(of: message.target, home: "")),
            "content": .optional(message.content) { content in
                [
                    "collection": .string(content.collection), "item": .string(content.item.item),
                    "edition": .int(content.item.edition),
                ]
            },
            "created_at": .instant(message.createdAt), "expires_at": .instant(message.expiresAt),
            "opened_at": .instant(message.openedAt), "acted_at": .instant(message.actedAt),
            "dismissed_at": .instant(message.dismissedAt),
        ]
    }

    private static let schema = Schema.named(
        "InboxMessage",
        .object([
            .required("message_id", .id, "The id of the message."),
            .required("rule", .string(), "The code of the rule that decided."),
            .required("subject", .string(), "One line in the participant's language."),
            .required("body", .string(), "Plain text in the participant's language."),
            .required(
                "target", .nullable(.string()),
                "Where the message leads, as the study states it; null for the first page."),
            .required(
                "path", .string(),
                "The same as an https address, or as a path below the participant's first page."),
            .required(
                "content",
                .nullable(
                    .object([
                        .required("collection", .string(), "The code of the collection."),
                        .required("item", .string(), "The id of the item."),
                        .required("edition", .integer(min: 1), "The edition of the item."),
                    ])), "The item of the library in the message; null if there is none."),
            .required("created_at", .instant, "When the rule decided."),
            .required("expires_at", .instant, "From this instant on, no channel sends the message."),
            .required("opened_at", .nullable(.instant), "When it was opened; null if it was not."),
            .required(
                "acted_at", .nullable(.instant),
                "When the participant did what it suggests; null if it was not reported."),
            .required("dismissed_at", .nullable(.instant), "When it was dismissed; null if it was not."),
        ]))
}
