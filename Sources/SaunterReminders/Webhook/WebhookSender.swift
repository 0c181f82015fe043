import Logging
import SaunterCore
import SaunterStore

/// Sends messages to a study's webhook, each as a signed POST (Standard Webhooks).
package struct WebhookSender: Sendable {
    let client: OutboundClient
    let logger: Logger

    /// Creates a sender that signs each request with the secret of its webhook.
    package init(client: OutboundClient, logger: Logger) {
        self.client = client
        self.logger = logger
    }

    func deliver(_ payload: WebhookPayload, to webhook: StudyWebhook, now: Instant) async -> DeliveryOutcome {
        guard let request = Self.request(payload, to: webhook, now: now) else {
            logger.warning("a webhook request could not be composed", metadata: ["study": "\(webhook.study)"])
            return .permanentFailure(code: nil)
        }
        let outcome = await client.send(request)
        outcome.log("webhook", ["message": "\(payload.message)", "study": "\(webhook.study)"], logger)
        // A receiver that answers 404 may be repaired later. Only 410 is final.
        if case .status(404, _) = outcome { return .permanentFailure(code: 404) }
        return DeliveryOutcome(outcome)
    }

    static func request(_ payload: WebhookPayload, to webhook: StudyWebhook, now: Instant) -> OutboundRequest?
    {
        guard let url = OutboundURL(webhook.url), let secret = WebhookSecret(webhook.secret.revealed) else {
            return nil
        }
        let body = Array(payload.json(at: now).bytes)
        let timestamp = Int(now.milliseconds / 1000)
        return OutboundRequest(
            url: url,
            headers: [
                .init("Content-Type", "application/json"), .init("webhook-id", payload.id),
                .init("webhook-timestamp", String(timestamp)),
                .init(
                    "webhook-signature", secret.signature(id: payload.id, timestamp: timestamp, body: body)),
            ], body: body)
    }
}
