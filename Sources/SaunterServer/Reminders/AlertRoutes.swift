import Foundation
import HTTPTypes
import SaunterCore
import SaunterStore

/// The alerts of decision rules, on which the study team acts.
struct AlertRoutes: Sendable {
    private static let maximumNoteLength = 2000

    let context: ServerContext

    var list: Route {
        Route(
            .get, "/v1/studies/{study}/alerts", who: .coordinator, tag: "Monitoring",
            summary: "List the alerts of a study",
            description: """
                A decision rule raises an alert about an answer on which a person must act. The coordinators of the \
                study get a mail without content at once, after 15 minutes and then every hour, until one of them \
                acknowledges the alert. From the third mail on, and in a study without coordinators, admins get it too.
                """,
            parameters: [.study],
            query: [
                QueryParameter(
                    "state", .string(values: ["open", "all"]),
                    "`open`: only alerts that no coordinator has acknowledged. The default is `all`."),
                .limit, .cursor,
            ],
            outcomes: [.json(.ok, "Alerts, newest first.", .page(of: Self.schema))]
        ) { call in
            let study = try call.text("study")
            let position = try call.listPosition()
            let found = try await context.store.listAlerts(
                of: study, onlyOpen: call.query("state") == "open",
                after: position.map { ($0.moment, $0.id) },
                limit: call.pageLimit + 1)
            let page = found.prefix(call.pageLimit)
            let next =
                found.count > page.count
                ? page.last.map { ListPosition(moment: $0.raisedAt, id: $0.id.uuid).cursor } : nil
            return .page(
                page.map(Self.json), next: next, path: "/v1/studies/\(study)/alerts", query: call.pageQuery,
                publicURL: context.configuration.publicURL)
        }
    }

    var acknowledge: Route {
        Route(
            .put, "/v1/studies/{study}/alerts/{alert_id}/acknowledgement", who: .coordinator,
            tag: "Monitoring",
            summary: "Acknowledge an alert",
            description: """
                The mails about the alert stop. The first acknowledgement stays; the audit names who made it. The same \
                note again changes nothing.
                """,
            parameters: [.study, .uuid("alert_id", "The id of the alert.")],
            body: .json(
                .named(
                    "AlertAcknowledgement",
                    .object([
                        .required(
                            "note", .string(minLength: 1, maxLength: Self.maximumNoteLength),
                            "What was done. It must not name the participant.")
                    ])), example: ["note": "Called back; the family doctor is informed."]),
            outcomes: [.json(.ok, "The alert.", Self.schema)], problems: [.idReused]
        ) { call in
            let note = call.body["note"]?.string ?? ""
            guard
                let alert = try await context.store.acknowledge(
                    try call.id("alert_id", as: ID<Alert>.self), in: try call.text("study"), note: note,
                    by: .account(call.caller.account), requestID: call.requestID, now: call.now)
            else { throw Problem(.notFound) }
            guard alert.note == note else { throw Problem(.idReused) }
            return .json(.ok, Self.json(alert))
        }
    }

    private static func json(_ alert: Alert) -> JSON {
        [
            "alert_id": .id(alert.id), "participant_id": .string(alert.participantID),
            "rule": .string(alert.rule), "about": .string(alert.about), "raised_at": .instant(alert.raisedAt),
            "notices": .int(alert.notices), "acknowledged_at": .instant(alert.acknowledgedAt),
            "note": .optional(alert.note, JSON.string),
        ]
    }

    private static let schema = Schema.named(
        "Alert",
        .object([
            .required("alert_id", .id, "The id of the alert."),
            .required("participant_id", .string(), "The pseudonym of the participant."),
            .required("rule", .string(), "The code of the rule that raised it."),
            .required("about", .string(), "The reason, a code of the study."),
            .required("raised_at", .instant, "When the rule decided."),
            .required("notices", .integer(min: 0), "How many times the study team was informed by mail."),
            .required(
                "acknowledged_at", .nullable(.instant),
                "When a coordinator acknowledged it; null while it is open."),
            .required(
                "note", .nullable(.string()), "What the coordinator did; null while the alert is open."),
        ]))
}
