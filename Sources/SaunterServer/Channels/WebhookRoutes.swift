import HTTPTypes
import SaunterCore
import SaunterReminders
import SaunterStore

/// Routes for the webhook by which a study's server receives messages.
struct WebhookRoutes: Sendable {
    let context: ServerContext

    var put: Route {
        Route(
            .put, "/v1/studies/{study}/webhook", who: .researcher, tag: "Channels",
            summary: "Set the study's webhook",
            description: """
                The server sends a POST request to the webhook for each message to a participant whose \
                `reminder.channels` contain `webhook`. The request has the headers `webhook-id`, `webhook-timestamp` \
                and `webhook-signature` (HMAC-SHA256, Standard Webhooks). It names the participant by pseudonym, never \
                by name or address. A message keeps its id in every attempt. The server disables the webhook after \
                \(Store.maximumWebhookFailures) failures in a row over \(Store.failingHours) hours, and when the webhook \
                answers 410. To enable it, set it again. Without `secret` in the request, the server generates a \
                secret and returns it only in this response.
                """,
            parameters: [.study],
            body: .json(
                .named(
                    "WebhookRequest",
                    .object([
                        .required(
                            "url", .string(minLength: 9, maxLength: OutboundURL.maximumBytes), "An https URL."
                        ),
                        .optional(
                            "secret", .string(minLength: 38, maxLength: 94),
                            "`\(WebhookSecret.prefix)` followed by 24 to 64 bytes in base64."),
                    ])), example: ["url": "https://example.net/saunter"]),
            outcomes: [
                .json(.created, "The webhook is set for the first time.", Self.setSchema),
                .json(.ok, "The webhook is replaced.", Self.setSchema),
            ]
        ) { call in
            let study = try call.text("study")
            guard try await context.store.findStudy(study) != nil else { throw Problem(.notFound) }
            let url = try self.url(call.body["url"]?.string ?? "")
            let given = call.body["secret"]?.string
            guard let secret = given.map({ WebhookSecret($0) }) ?? WebhookSecret.make() else {
                throw Fault(
                    pointer: "/secret", code: "wrong_format",
                    detail:
                        "The secret must be `\(WebhookSecret.prefix)` followed by 24 to 64 bytes in base64.")
            }
            let webhook = StudyWebhook(
                study: study, url: url.text, secret: Secret(secret.text), setAt: call.now)
            let isNew = try await context.store.set(webhook, audit: audit("webhook_set", call, study))
            var body = Self.json(webhook).object ?? [:]
            body["secret"] = given == nil ? .string(secret.text) : .null
            return .json(isNew ? .created : .ok, .object(body))
        }
    }

    var get: Route {
        Route(
            .get, "/v1/studies/{study}/webhook", who: .researcher, tag: "Channels",
            summary: "Get the study's webhook and its state", parameters: [.study],
            outcomes: [.json(.ok, "The webhook and its current state.", Self.schema)]
        ) { call in
            guard let webhook = try await context.store.findWebhook(call.text("study")) else {
                throw Problem(.notFound)
            }
            return .json(.ok, Self.json(webhook))
        }
    }

    var delete: Route {
        Route(
            .delete, "/v1/studies/{study}/webhook", who: .researcher, tag: "Channels",
            summary: "Delete the study's webhook", parameters: [.study],
            outcomes: [.empty(.noContent, "The webhook is deleted and receives no more messages.")]
        ) { call in
            let study = try call.text("study")
            guard
                try await context.store.deleteWebhook(
                    study, audit: audit("webhook_removed", call, study), now: call.now)
            else { throw Problem(.notFound) }
            return .noContent
        }
    }

    private func url(_ text: String) throws -> OutboundURL {
        guard let url = OutboundURL(text) else {
            throw Fault(
                pointer: "/url", code: "wrong_format",
                detail: "The URL must use https and have no user and no fragment.")
        }
        guard context.configuration.outboundPolicy.mayAllow(url) else {
            throw Fault(
                pointer: "/url", code: "address_refused",
                detail: "The outbound address policy of this server does not allow this address.")
        }
        return url
    }

    private func audit(_ action: String, _ call: Call<Identity>, _ study: String) -> AuditEntry {
        AuditEntry(
            actor: .account(call.caller.account), action: action, study: study, requestID: call.requestID)
    }

    /// `disabled`, `failing` if the last attempt failed, or `active`.
    static func state(_ webhook: StudyWebhook) -> String {
        webhook.disabledAt != nil ? "disabled" : webhook.failures > 0 ? "failing" : "active"
    }

    private static func json(_ webhook: StudyWebhook) -> JSON {
        [
            "url": .string(webhook.url), "set_at": .instant(webhook.setAt),
            "state": .string(state(webhook)), "failures": .int(webhook.failures),
            "failing_since": .instant(webhook.failingSince),
            "last_reply_code": .optional(webhook.lastReplyCode, JSON.int),
            "disabled_at": .instant(webhook.disabledAt),
            "disabled_reason": .optional(webhook.disabledReason) { .string($0.rawValue) },
        ]
    }

    static let states = Schema.string(values: ["active", "failing", "disabled"])
    static let reasons = Schema.string(values: StudyWebhook.DisabledReason.allCases.map(\.rawValue))

    private static let members: [Schema.Member] = [
        .required("url", .string(), "The address that the server calls."),
        .required("set_at", .instant, "When the address was set."),
        .required("state", states, "Whether the server calls the address."),
        .required("failures", .integer(min: 0), "The number of failed attempts in a row."),
        .required(
            "failing_since", .nullable(.instant),
            "Since when the calls fail; null if the last call succeeded."),
        .required(
            "last_reply_code", .nullable(.integer()),
            "The HTTP status of the last failed attempt; null if the webhook did not answer."),
        .required(
            "disabled_at", .nullable(.instant),
            "When the server stopped calling the address; null if it did not."),
        .required(
            "disabled_reason", .nullable(reasons),
            "Why the server stopped calling the address; null if it did not."),
    ]

    static let schema = Schema.named("Webhook", .object(members))
    static let setSchema = Schema.named(
        "SetWebhook",
        .object(
            members + [
                .required(
                    "secret", .nullable(.string()),
                    "The secret, if the server generated it in this request; otherwise null.")
            ]))
}
