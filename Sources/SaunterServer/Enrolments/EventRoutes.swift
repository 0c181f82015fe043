import HTTPTypes
import SaunterCore
import SaunterStore

/// Named events of a study, as their participant tells them: what schedules and phases count from.
struct EventRoutes: Sendable {
    let context: ServerContext

    static let schema = Schema.named(
        "StudyEvent",
        .object([
            .required("event", .string()), .required("occurred_at", .instant),
            .required("recorded_at", .instant, "When the server was told so."),
        ]))

    var put: Route {
        Route(
            .put, "/v1/enrolments/{id}/events/{event}", who: .participant, tag: "Events",
            summary: "Say when an event of the study happened",
            description: """
                It may lie ahead. What counts from the event is planned at once. The study says whether the event may be moved afterwards: at will, only \
                to a later moment, or not at all.
                """,
            parameters: [
                .enrolment, .code("event", "One of the study's events.", example: "back-home"),
            ],
            body: .json(
                .named("EventMoment", .object([.required("occurred_at", .instant)])),
                example: ["occurred_at": "2026-11-21T08:00:00.000Z"]),
            outcomes: [
                .json(.created, "Noted for the first time.", Self.schema),
                .json(.ok, "Moved, or known before.", Self.schema),
            ], problems: [.eventFixed, .enrolmentWithdrawn]
        ) { call in
            let enrolment = try await context.enrolment(call)
            let study = try await context.study(of: enrolment).study
            let code = try call.text("event")
            guard let event = study.events.first(where: { $0.code == code }) else { throw Problem(.notFound) }
            guard enrolment.state == .active else { throw Problem(.enrolmentWithdrawn) }
            guard let moment = call.body["occurred_at"]?.string.flatMap({ Instant($0) }) else {
                throw Problem(.bodyInvalid)
            }
            // Every moment is kept, and every one plans anew.
            try await context.accounts.journeys.admit(.account(call.caller.account), now: call.now)
            do {
                let stored = try await context.store.record(
                    event, at: moment, of: enrolment.id, study: study, now: call.now)
                return .json(stored.isNew ? .created : .ok, Self.json(stored.event))
            } catch let fixed as EventFixed {
                throw Problem(.eventFixed, "It was told to have happened at \(fixed.occurredAt).")
            }
        }
    }

    var list: Route {
        Route(
            .get, "/v1/enrolments/{id}/events", who: .participant, tag: "Events",
            summary: "Events of the study that were told", parameters: [.enrolment],
            outcomes: [.json(.ok, "By name.", .page(of: Self.schema))]
        ) { call in
            let enrolment = try await context.enrolment(call)
            let events = try await context.store.listEvents(of: enrolment.id)
            return .json(.ok, ["items": .array(events.map(Self.json)), "next": nil])
        }
    }

    private static func json(_ event: EnrolmentEvent) -> JSON {
        [
            "event": .string(event.code), "occurred_at": .instant(event.occurredAt),
            "recorded_at": .instant(event.recordedAt),
        ]
    }
}
