import Foundation
import Logging
import SaunterCore
import SaunterStore

/// Sends messages to participants' devices by Web Push (RFC 8030).
package struct PushSender: Sendable {
    let key: VAPIDKey
    let contact: String
    let client: OutboundClient
    let logger: Logger

    /// The maximum time to live. RFC 8030 sets no maximum; push services keep a message for at most 4 weeks.
    static let maximumTTLSeconds = 28 * 86_400
    /// If the message expires within this time, its urgency is high. Devices then show it even when they save power.
    static let urgentWithinSeconds = 3600

    /// - Parameter contact: a `mailto:` or `https:` URL for the operators of push services.
    package init(key: VAPIDKey, contact: String, client: OutboundClient, logger: Logger) {
        self.key = key
        self.contact = contact
        self.client = client
        self.logger = logger
    }

    /// Sends a message to all devices concurrently.
    /// - Returns: the outcome of all devices together (see `combined`), and the devices whose subscription no longer
    ///   exists.
    func deliver(
        _ payload: PushPayload, to devices: [StoredPushSubscription], policy: OutboundPolicy, now: Instant
    ) async -> (outcome: DeliveryOutcome, gone: [StoredPushSubscription]) {
        await withTaskGroup { group in
            for device in devices {
                group.addTask { (device, await deliver(payload, to: device, policy: policy, now: now)) }
            }
            var outcomes: [DeliveryOutcome] = []
            var gone: [StoredPushSubscription] = []
            for await (device, outcome) in group {
                outcomes.append(outcome)
                if outcome == .gone { gone.append(device) }
            }
            return (Self.combined(outcomes), gone)
        }
    }

    /// Combines the outcomes of several devices. If a message may have reached one device, it is not sent again.
    static func combined(_ outcomes: [DeliveryOutcome]) -> DeliveryOutcome {
        if outcomes.contains(.accepted) { return .accepted }
        if outcomes.contains(.unknown) { return .unknown }
        var retryDelays: [Int] = []
        var failure: DeliveryOutcome = .gone
        var isTemporary = false
        for outcome in outcomes where outcome != .gone {
            if case .temporaryFailure(_, let delay) = outcome {
                retryDelays.append(delay ?? 0)
                isTemporary = true
                failure = outcome
            } else if !isTemporary {
                failure = outcome
            }
        }
        if case .temporaryFailure(let code, _) = failure {
            let delay = retryDelays.min() ?? 0
            return .temporaryFailure(code: code, retryAfter: delay > 0 ? delay : nil)
        }
        return failure
    }

    private func deliver(
        _ payload: PushPayload, to device: StoredPushSubscription, policy: OutboundPolicy, now: Instant
    ) async -> DeliveryOutcome {
        let request: OutboundRequest
        do {
            let subscription = try PushSubscription(device.content, policy: policy)
            request = try self.request(payload, to: subscription, now: now)
        } catch {
            logger.warning("a push message could not be composed", metadata: ["fault": "\(error)"])
            return .permanentFailure(code: nil)
        }
        let outcome = await client.send(request)
        // The endpoint identifies the device, so the log contains only the host of the service.
        outcome.log("push", ["message": "\(payload.message)", "service": "\(request.url.host)"], logger)
        return DeliveryOutcome(outcome)
    }

    func request(_ payload: PushPayload, to subscription: PushSubscription, now: Instant) throws
        -> OutboundRequest
    {
        let secondsLeft = Int(clamping: payload.expiresAt.milliseconds(since: now) / 1000)
        let body = try subscription.encrypted(payload.json(maximumBytes: PushSubscription.maximumPlaintext))
        return OutboundRequest(
            url: subscription.endpoint,
            headers: [
                .init(
                    "Authorization",
                    try key.authorization(for: subscription.endpoint.origin, contact: contact, now: now)),
                .init("Content-Type", "application/octet-stream"), .init("Content-Encoding", "aes128gcm"),
                .init("TTL", String(min(max(secondsLeft, 0), Self.maximumTTLSeconds))),
                .init("Urgency", secondsLeft <= Self.urgentWithinSeconds ? "high" : "normal"),
                .init("Topic", payload.topic),
            ], body: body)
    }
}
