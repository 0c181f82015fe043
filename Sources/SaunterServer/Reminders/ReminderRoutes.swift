import HTTPTypes
import SaunterCore
import SaunterStore

/// What participants and their devices say about reminders: later, please; it has arrived; it was opened.
struct ReminderRoutes: Sendable {
    let context: ServerContext

    var snooze: Route {
        Route(
            .put, "/v1/enrolments/{id}/occasions/{occasion_id}/snooze", who: .participant, tag: "Reminders",
            summary: "Put an occasion off",
            description: """
                Its reminders are held back until then, and one comes at that moment; at the end of the quiet hours where it falls into them. Up to \
                \(Store.mostSnoozes) times an occasion, always until a moment within its window; of several the last one counts.
                """,
            parameters: [.enrolment, .uuid("occasion_id", "One of the planned occasions.")],
            body: .json(
                .named("Snooze", .object([.required("until", .instant)])),
                example: ["until": "2026-11-21T18:30:00.000Z"]),
            outcomes: [.json(.ok, "Put off.", ReminderWire.snoozeSchema)],
            problems: [.occasionNotOpen, .enrolmentWithdrawn]
        ) { call in
            let enrolment = try await context.enrolment(call)
            guard enrolment.state == .active else { throw Problem(.enrolmentWithdrawn) }
            let study = try await context.study(of: enrolment).study
            let occasion: OccasionID = try call.id("occasion_id")
            guard let until = call.body["until"]?.string.flatMap({ Instant($0) }) else {
                throw Problem(.bodyInvalid)
            }
            do {
                try await context.store.snooze(
                    occasion, of: enrolment.id, until: until, study: study, now: call.now)
            } catch let refusal as SnoozeRefusal {
                throw Self.problem(refusal)
            }
            return .json(.ok, ["occasion_id": .id(occasion), "until": .instant(until)])
        }
    }

    private static func problem(_ refusal: SnoozeRefusal) -> Problem {
        func fault(_ code: String, _ detail: String) -> Problem {
            Problem(.bodyInvalid, Faults([Fault(pointer: "/until", code: code, detail: detail)]))
        }
        return switch refusal {
        case .unknownOccasion: Problem(.notFound)
        case .settled: Problem(.occasionNotOpen)
        case .outsideWindow: fault("outside_window", "It lies ahead, and within the occasion's window.")
        case .tooOften: fault("too_often", "An occasion is put off \(Store.mostSnoozes) times at most.")
        }
    }

    var messages: Route {
        Route(
            .get, "/v1/enrolments/{id}/messages", who: .participant, tag: "Reminders",
            summary: "Messages of the last two days, and those about occasions that are still open",
            parameters: [.enrolment],
            outcomes: [.json(.ok, "The oldest first.", .page(of: ReminderWire.messageSchema))]
        ) { call in
            let enrolment = try await context.enrolment(call)
            guard let found = try await context.store.findParticipation(enrolment.id, now: call.now) else {
                throw Problem(.notFound)
            }
            // Of notices older ones are known, too.
            let recent = call.now.adding(seconds: -2 * 86_400)
            let items = ReminderWire.messages(
                found.reminders.filter {
                    $0.sentAt != nil && ($0.key.kind != .notice || $0.claimedAt > recent)
                })
            return .json(.ok, ["items": .array(items), "next": nil])
        }
    }

    var receipt: Route {
        Route(
            .put, "/v1/enrolments/{id}/messages/{message_id}/receipt", who: .participant, tag: "Reminders",
            summary: "Say that a message has arrived, or was opened",
            description: """
                The first word about it holds; a moment that lies ahead of the server's clock counts as now, and one before the message went out as that \
                moment. What is confirmed is not sent again.
                """,
            parameters: [.enrolment, .uuid("message_id", "As the message names itself.")],
            body: .json(
                .named(
                    "Receipt",
                    .object([
                        .optional("delivered_at", .nullable(.instant)),
                        .optional("opened_at", .nullable(.instant)),
                    ])),
                example: [
                    "delivered_at": "2026-11-21T18:30:02.000Z", "opened_at": "2026-11-21T18:31:00.000Z",
                ]),
            outcomes: [.json(.ok, "As it is known now.", ReminderWire.messageSchema)]
        ) { call in
            let enrolment = try await context.enrolment(call)
            let id: MessageID = try call.id("message_id")
            func moment(_ name: String) -> Instant? {
                call.body[name]?.string.flatMap { Instant($0) }.map { min($0, call.now) }
            }
            let known = try await context.store.confirm(
                id, of: enrolment.id, deliveredAt: moment("delivered_at"), openedAt: moment("opened_at"))
            guard let message = ReminderWire.messages(known).first else { throw Problem(.notFound) }
            return .json(.ok, message)
        }
    }
}
