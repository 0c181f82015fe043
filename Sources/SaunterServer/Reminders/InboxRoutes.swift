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
