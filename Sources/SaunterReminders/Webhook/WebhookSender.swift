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
        log(reply, note, webhook.study)
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

    private func log(_ reply: OutwardReply, _ note: WebhookNote, _ study: String) {
        var metadata: Logger.Metadata = ["message": "\(note.message)", "study": "\(study)"]
        switch reply {
        case .status(let code, _):
            metadata["status"] = "\(code)"
            logger.log(
                level: (200..<300).contains(code) ? .debug : .notice, "webhook answered", metadata: metadata)
        case .addressRefused:
            logger.warning("webhook refused: it has an address that is not called", metadata: metadata)
        case .notSent(let words):
            metadata["reason"] = "\(words)"
            logger.notice("webhook not sent", metadata: metadata)
        case .lost(let words):
            metadata["reason"] = "\(words)"
            logger.warning("connection lost before the webhook was confirmed", metadata: metadata)
        }
    }
}
