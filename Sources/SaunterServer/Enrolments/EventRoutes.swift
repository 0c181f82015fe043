import HTTPTypes
import SaunterCore
import SaunterStore

/// Routes for the study events that a participant reports. Schedules and phases can be anchored to these events.
struct EventRoutes: Sendable {
    let context: ServerContext

    static let schema = Schema.named(
        "StudyEvent",
        .object([
            .required("event", .string(), "The code of the event in the study."),
            .required("occurred_at", .instant, "When the event happened."),
            .required("recorded_at", .instant, "When the server recorded the event."),
        ]))

    var put: Route {
        Route(
            .put, "/v1/enrolments/{id}/events/{event}", who: .participant, tag: "Events",
            summary: "Report when a study event happened",
            description: """
                The instant can be in the future. The server immediately plans the occasions that depend on the event. \
                The study defines whether the event can be moved afterwards: freely, only to a later instant, or not \
                at all.
                """,
            parameters: [
                .enrolment, .code("event", "One of the study's events.", example: "back-home"),
            ],
            body: .json(
                .named(
                    "EventMoment", .object([.required("occurred_at", .instant, "When the event happened.")])),
                example: ["occurred_at": "2026-11-21T08:00:00.000Z"]),
            outcomes: [
                .json(.created, "The event is recorded for the first time.", Self.schema),
                .json(.ok, "The event is moved, or it was already recorded with this instant.", Self.schema),
            ], problems: [.eventFixed, .enrolmentWithdrawn]
        ) { call in
            let enrolment = try await context.enrolment(call)
            guard let moment = call.body["occurred_at"]?.string.flatMap({ Instant($0) }) else {
                throw Problem(.bodyInvalid)
            }
            // The rate is limited because the server stores every report and replans after it.
            try await context.accounts.replanThrottle.admit(.account(call.caller.account), now: call.now)
            let stored = try await StudyEventService(context: context).record(
                try call.text("event"), at: moment, of: enrolment, now: call.now)
            return .json(stored.isNew ? .created : .ok, StudyEventService.json(stored.event))
        }
    }

    var list: Route {
        Route(
            .get, "/v1/enrolments/{id}/events", who: .participant, tag: "Events",
            summary: "List the reported study events", parameters: [.enrolment],
            outcomes: [.json(.ok, "Events, sorted by name.", .page(of: Self.schema))]
        ) { call in
            let enrolment = try await context.enrolment(call)
            let events = try await context.store.listEvents(of: enrolment.id)
            return .json(.ok, ["items": .array(events.map(StudyEventService.json)), "next": nil])
        }
    }
}
