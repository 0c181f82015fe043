import HTTPTypes
import SaunterCore
import SaunterReminders
import SaunterStore

/// Where a study's own programs are told of messages.
struct WebhookRoutes: Sendable {
    let context: ServerContext

    var put: Route {
        Route(
            .put, "/v1/studies/{study}/webhook", who: .researcher, tag: "Channels",
            summary: "Set the study's webhook",
            description: """
                Messages of participants whose `reminder.channels` name `webhook` go there: a POST each with `webhook-id`, `webhook-timestamp` and \
                `webhook-signature` (HMAC-SHA256, Standard Webhooks) and the pseudonym, never a name or an address. A message keeps its id over attempts. \
                After \(Store.mostWebhookFailures) failures in a row over \(Store.failingHours) hours, or once it answers 410, it is disabled until it is set \
                anew. Without `secret` one is made, and shown this once.
                """,
            parameters: [.study],
            body: .json(
                .named(
                    "WebhookRequest",
                    .object([
                        .required("url", .string(minLength: 9, maxLength: OutwardURL.mostBytes), "https."),
                        .optional(
                            "secret", .string(minLength: 38, maxLength: 94),
                            "`\(WebhookSecret.prefix)` and 24 to 64 bytes in base64."),
                    ])), example: ["url": "https://example.net/saunter"]),
            outcomes: [
                .json(.created, "Set for the first time.", Self.setSchema),
                .json(.ok, "Set anew.", Self.setSchema),
            ]
        ) { call in
            let study = try call.text("study")
            guard try await context.store.findStudy(study) != nil else { throw Problem(.notFound) }
            let url = try self.url(call.body["url"]?.string ?? "")
            let given = call.body["secret"]?.string
            guard let secret = given.map({ WebhookSecret($0) }) ?? WebhookSecret.make() else {
                throw Self.problem("/secret", "wrong_format", "It is whsec_ and 24 to 64 bytes in base64.")
            }
            let webhook = StudyWebhook(study: study, url: url.text, secret: secret.text, setAt: call.now)
            let isNew = try await context.store.set(webhook, audit: audit("webhook_set", call, study))
            var body = Self.json(webhook).object ?? [:]
            body["secret"] = given == nil ? .string(secret.text) : .null
            return .json(isNew ? .created : .ok, .object(body))
        }
    }

    var get: Route {
        Route(
            .get, "/v1/studies/{study}/webhook", who: .researcher, tag: "Channels",
            summary: "The study's webhook, and how it goes", parameters: [.study],
            outcomes: [.json(.ok, "As it is now.", Self.schema)]
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
            summary: "Take the study's webhook away", parameters: [.study],
            outcomes: [.empty(.noContent, "Nothing is sent there any more.")]
        ) { call in
            let study = try call.text("study")
            guard
                try await context.store.deleteWebhook(
                    study, audit: audit("webhook_removed", call, study), now: call.now)
            else { throw Problem(.notFound) }
            return .noContent
        }
    }

    private func url(_ text: String) throws -> OutwardURL {
        guard let url = OutwardURL(text) else {
            throw Self.problem("/url", "wrong_format", "It is an https URL without user and fragment.")
        }
        guard context.configuration.outward.mayAllow(url) else {
            throw Self.problem("/url", "address_refused", "This server calls nobody at that address.")
        }
        return url
    }

    private static func problem(_ pointer: String, _ code: String, _ detail: String) -> Problem {
        Problem(.bodyInvalid, Faults([Fault(pointer: pointer, code: code, detail: detail)]))
    }

    private func audit(_ action: String, _ call: Call<Identity>, _ study: String) -> AuditEntry {
        AuditEntry(
            actor: .account(call.caller.account), action: action, study: study, requestID: call.requestID,
            detail: .object([:]))
    }

    /// `active`, `failing` since some failures, or `disabled`.
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
            "disabled_reason": .optional(webhook.disabledWhy) { .string($0.rawValue) },
        ]
    }

    static let states = Schema.string(values: ["active", "failing", "disabled"])
    static let reasons = Schema.string(values: StudyWebhook.Disabled.allCases.map(\.rawValue))

    private static let members: [Schema.Member] = [
        .required("url", .string()), .required("set_at", .instant), .required("state", states),
        .required("failures", .integer(min: 0), "In a row."), .required("failing_since", .nullable(.instant)),
        .required("last_reply_code", .nullable(.integer()), "Of the last failure; null where none answered."),
        .required("disabled_at", .nullable(.instant)), .required("disabled_reason", .nullable(reasons)),
    ]

    static let schema = Schema.named("Webhook", .object(members))
    static let setSchema = Schema.named(
        "SetWebhook",
        .object(members + [.required("secret", .nullable(.string()), "Where it was made here, this once.")]))
}
