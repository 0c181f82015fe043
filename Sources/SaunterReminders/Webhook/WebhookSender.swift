import Logging
import SaunterCore
import SaunterStore

/// Tells a study's own programs of messages: a signed POST each (Standard Webhooks).
package struct WebhookSender: Sendable {
    let caller: OutwardCaller
    let logger: Logger

    package init(caller: OutwardCaller, logger: Logger) {
        self.caller = caller
        self.logger = logger
    }

    func deliver(_ note: WebhookNote, to webhook: StudyWebhook, now: Instant) async -> DeliveryOutcome {
        guard let post = Self.post(note, to: webhook, now: now) else {
            logger.warning("a webhook could not be written", metadata: ["study": "\(webhook.study)"])
            return .permanentFailure(code: nil)
        }
        let reply = await caller.call(post)
        reply.log("webhook", ["message": "\(note.message)", "study": "\(webhook.study)"], logger)
        // An address that a receiver does not know today it may know tomorrow; only 410 is meant for good.
        if case .status(404, _) = reply { return .permanentFailure(code: 404) }
        return PushSender.outcome(of: reply)
    }

    static func post(_ note: WebhookNote, to webhook: StudyWebhook, now: Instant) -> OutwardPost? {
        guard let url = OutwardURL(webhook.url), let secret = WebhookSecret(webhook.secret) else {
            return nil
        }
        let body = Array(note.json(at: now).bytes)
        let timestamp = Int(now.milliseconds / 1000)
        return OutwardPost(
            url: url,
            headers: [
                .init("Content-Type", "application/json"), .init("webhook-id", note.id),
                .init("webhook-timestamp", String(timestamp)),
                .init(
                    "webhook-signature", secret.signature(id: note.id, timestamp: timestamp, body: body)),
            ], body: body)
    }
}
