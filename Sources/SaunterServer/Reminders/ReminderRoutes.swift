import HTTPTypes
import SaunterCore
import SaunterReminders
import SaunterStore

/// Routes to snooze occasions, list messages, and confirm that a message was delivered or opened.
struct ReminderRoutes: Sendable {
    let context: ServerContext

    var snooze: Route {
        Route(
            .put, "/v1/enrolments/{id}/occasions/{occasion_id}/snooze", who: .participant, tag: "Reminders",
            summary: "Snooze an occasion",
            description: """
                The server sends no reminder for the occasion before `until`, and sends one at `until`. If `until` is \
                within quiet hours, it sends that reminder when they end. `until` must be in the future and within the \
                occasion's window. An occasion can be snoozed \(Store.maximumSnoozes) times; each snooze replaces the \
                previous one.
                """,
            parameters: [.enrolment, .uuid("occasion_id", "One of the planned occasions.")],
            body: .json(
                .named("Snooze", .object([.required("until", .instant, "When to remind again.")])),
                example: ["until": "2026-11-21T18:30:00.000Z"]),
            outcomes: [.json(.ok, "The occasion is snoozed.", ReminderResponse.snoozeSchema)],
            problems: [.occasionNotOpen, .enrolmentWithdrawn]
        ) { call in
            let enrolment = try await context.enrolment(call)
            guard let until = call.body["until"]?.string.flatMap({ Instant($0) }) else {
                throw Problem(.bodyInvalid)
            }
            do {
                return .json(
                    .ok,
                    try await SnoozeService(context: context).snooze(
                        try call.id("occasion_id"), until: until, of: enrolment, now: call.now))
            } catch let refusal as SnoozeRefusal {
                throw SnoozeService.problem(refusal)
            }
        }
    }

    var messages: Route {
        Route(
            .get, "/v1/enrolments/{id}/messages", who: .participant, tag: "Reminders",
            summary: "List the messages of the last two days and those about occasions that are still open",
            description: "Messages of decision rules are in the inbox.",
            parameters: [.enrolment],
            outcomes: [
                .json(.ok, "Messages, oldest first.", .page(of: ReminderResponse.listedMessageSchema))
            ]
        ) { call in
            let enrolment = try await context.enrolment(call)
            guard let found = try await context.store.findParticipantState(enrolment.id, now: call.now) else {
                throw Problem(.notFound)
            }
            // `found.reminders` also contains notifications that are older than two days.
            let recent = call.now.adding(seconds: -2 * 86_400)
            let records = found.reminders.filter {
                $0.sentAt != nil && $0.key.kind != .rule
                    && ($0.key.kind != .notification || $0.claimedAt > recent)
            }
            let study = try await context.study(of: enrolment).study
            let name =
                records.contains { $0.key.kind == .notification }
                ? try await context.store.findRecipient(of: enrolment.id)?.name ?? "" : ""
            let items = ReminderResponse.messages(records) { code in
                ReminderText.notificationText(
                    code, study: study, enrolment: enrolment, name: name,
                    url: context.configuration.publicURL)
            }
            return .json(.ok, ["items": .array(items), "next": nil])
        }
    }

    var receipt: Route {
        Route(
            .put, "/v1/enrolments/{id}/messages/{message_id}/receipt", who: .participant, tag: "Reminders",
            summary: "Confirm that a message was delivered or opened",
            description: """
                The server stores the earliest instant of each kind, so a later confirmation changes it only if its \
                instant is earlier. An opened message counts as delivered. An instant in the future counts as now. \
                An instant before the message was sent counts as the time of sending. A confirmed message is not \
                sent again.
                """,
            parameters: [.enrolment, .uuid("message_id", "The id that the message contains.")],
            body: .json(
                .named(
                    "Receipt",
                    .object(MessageReceiptService.moments)),
                example: [
                    "delivered_at": "2026-11-21T18:30:02.000Z", "opened_at": "2026-11-21T18:31:00.000Z",
                ]),
            outcomes: [.json(.ok, "The message with its confirmations.", ReminderResponse.messageSchema)]
        ) { call in
            let enrolment = try await context.enrolment(call)
            return .json(
                .ok,
                try await MessageReceiptService(context: context).confirm(
                    try call.id("message_id"), call.body, of: enrolment, now: call.now))
        }
    }
}
