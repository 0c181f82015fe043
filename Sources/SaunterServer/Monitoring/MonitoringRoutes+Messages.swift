import SaunterCore
import SaunterStore

extension MonitoringRoutes {
    static func json(_ counts: MessageCounts) -> JSON {
        [
            "sent": .int(counts.sent), "confirmed": .int(counts.confirmed),
            "undelivered": .int(counts.undelivered), "uncertain": .int(counts.uncertain),
            "last_undelivered_at": .instant(counts.lastUndeliveredAt),
        ]
    }

    static let messagesSchema = Schema.named(
        "MessageCounts",
        .object([
            .required("sent", .integer(min: 0), "Handed over to a channel."),
            .required("confirmed", .integer(min: 0), "Of which a device said that they arrived."),
            .required("undelivered", .integer(min: 0), "Reached the person by no channel."),
            .required(
                "uncertain", .integer(min: 0),
                "Whether they went out is not known, so they were not sent again."),
            .required("last_undelivered_at", .nullable(.instant)),
        ]))

    static func json(_ webhook: StudyWebhook) -> JSON {
        [
            "state": .string(WebhookRoutes.state(webhook)),
            "since": .instant(webhook.disabledAt ?? webhook.failingSince ?? webhook.setAt),
            "reason": .optional(webhook.disabledWhy) { .string($0.rawValue) },
        ]
    }

    static let webhookSchema = Schema.nullable(
        .object([
            .required("state", WebhookRoutes.states), .required("since", .instant),
            .required("reason", .nullable(WebhookRoutes.reasons), "Why it is disabled."),
        ]))
}
