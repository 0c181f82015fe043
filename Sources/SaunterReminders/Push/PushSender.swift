import Foundation
import Logging
import SaunterCore
import SaunterStore

/// Sends to people's devices by Web Push (RFC 8030).
package struct PushSender: Sendable {
    let key: VAPIDKey
    let contact: String
    let caller: OutwardCaller
    let logger: Logger

    /// RFC 8030 leaves the most to the service; four weeks is what they keep.
    static let mostSeconds = 28 * 86_400
    /// What closes so soon is shown although a device saves power.
    static let urgentSeconds = 3600

    /// - Parameter contact: a `mailto:` or `https:` URL for the operators of push services.
    package init(key: VAPIDKey, contact: String, caller: OutwardCaller, logger: Logger) {
        self.key = key
        self.contact = contact
        self.caller = caller
        self.logger = logger
    }

    /// Sends a note to all devices at once.
    /// - Returns: accepted where one device's service took it; and the devices that are no more.
    func deliver(
        _ note: PushNote, to devices: [StoredPushSubscription], rule: OutwardRule, now: Instant
    ) async -> (outcome: DeliveryOutcome, gone: [StoredPushSubscription]) {
        await withTaskGroup { group in
            for device in devices {
                group.addTask { (device, await deliver(note, to: device, rule: rule, now: now)) }
            }
            var outcomes: [DeliveryOutcome] = []
            var gone: [StoredPushSubscription] = []
            for await (device, outcome) in group {
                outcomes.append(outcome)
                if outcome == .gone { gone.append(device) }
            }
            return (Self.together(outcomes), gone)
        }
    }

    /// What the answers of several devices come to: what may have reached one is not sent again.
    static func together(_ outcomes: [DeliveryOutcome]) -> DeliveryOutcome {
        if outcomes.contains(.accepted) { return .accepted }
        if outcomes.contains(.unknown) { return .unknown }
        var waits: [Int] = []
        var last: DeliveryOutcome = .gone
        var isTemporary = false
        for outcome in outcomes where outcome != .gone {
            if case .temporaryFailure(_, let wait) = outcome {
                waits.append(wait ?? 0)
                isTemporary = true
                last = outcome
            } else if !isTemporary {
                last = outcome
            }
        }
        if case .temporaryFailure(let code, _) = last {
            let wait = waits.min() ?? 0
            return .temporaryFailure(code: code, retryAfter: wait > 0 ? wait : nil)
        }
        return last
    }

    private func deliver(
        _ note: PushNote, to device: StoredPushSubscription, rule: OutwardRule, now: Instant
    ) async -> DeliveryOutcome {
        let post: OutwardPost
        do {
            let subscription = try PushSubscription(device.content, rule: rule)
            post = try self.post(note, to: subscription, now: now)
        } catch {
            logger.warning("a push message could not be written", metadata: ["fault": "\(error)"])
            return .permanentFailure(code: nil)
        }
        let reply = await caller.call(post)
        // The endpoint tells who it is, so only its service is named.
        reply.log("push", ["message": "\(note.message)", "service": "\(post.url.host)"], logger)
        return Self.outcome(of: reply)
    }

    func post(_ note: PushNote, to subscription: PushSubscription, now: Instant) throws -> OutwardPost {
        let left = Int(clamping: note.closesAt.milliseconds(since: now) / 1000)
        let body = try subscription.encrypted(note.json(within: PushSubscription.mostPlaintext))
        return OutwardPost(
            url: subscription.endpoint,
            headers: [
                .init(
                    "Authorization",
                    try key.authorization(for: subscription.endpoint.origin, contact: contact, now: now)),
                .init("Content-Type", "application/octet-stream"), .init("Content-Encoding", "aes128gcm"),
                .init("TTL", String(min(max(left, 0), Self.mostSeconds))),
                .init("Urgency", left <= Self.urgentSeconds ? "high" : "normal"),
                .init("Topic", note.topic),
            ], body: body)
    }

    /// Refusals of now, not of the message: the request took too long, came too early (RFC 8470), or is one too many.
    private static let passing: Set = [408, 425, 429]

    /// What a push service's answer means.
    static func outcome(of reply: OutwardReply) -> DeliveryOutcome {
        switch reply {
        case .status(200..<300, _): .accepted
        case .status(404, _), .status(410, _): .gone
        case .status(let code, let wait) where passing.contains(code) || code >= 500:
            .temporaryFailure(code: code, retryAfter: wait)
        case .status(let code, _): .permanentFailure(code: code)
        case .addressRefused: .permanentFailure(code: nil)
        case .notSent: .temporaryFailure(code: nil)
        case .lost: .unknown
        }
    }
}
