import Foundation
import SaunterCore

/// One mail to one recipient.
package struct Delivery: Sendable {
    /// The mail address of the recipient.
    package var to: String
    /// One line of plain text.
    package var subject: String
    /// Plain text.
    package var text: String
    /// The same for all attempts, so that a mail provider can recognise a duplicate.
    package var messageID: String
    /// The value of the `Date` header.
    package var date: Instant

    /// Creates a mail without checking its values; `MailMessage` does that.
    package init(to: String, subject: String, text: String, messageID: String, date: Instant) {
        self.to = to
        self.subject = subject
        self.text = text
        self.messageID = messageID
        self.date = date
    }
}

/// The outcome of one delivery attempt by a channel.
package enum DeliveryOutcome: Sendable, Hashable {
    case accepted
    /// Certainly not delivered, but a retry can succeed. `retryAfter` is the delay in seconds that the other server
    /// asks for.
    case temporaryFailure(code: Int?, retryAfter: Int? = nil)
    /// Certainly not delivered because the receiving server is at fault. This is no fault of the recipient and affects
    /// other messages too.
    case outage(code: Int)
    /// Certainly not delivered, and a retry cannot succeed.
    case permanentFailure(code: Int?)
    /// Certainly not delivered, because the recipient's address no longer exists.
    case gone
    /// The connection was lost when the message may already have been accepted.
    case unknown
}

extension DeliveryOutcome {
    /// Whether the receiving server is at fault or does not answer. Then the failure is not counted against the
    /// recipient.
    package var isOutage: Bool {
        switch self {
        case .outage: true
        case .temporaryFailure(let code, _): code.map { $0 >= 500 } ?? true
        case .accepted, .permanentFailure, .gone, .unknown: false
        }
    }
}

/// The configured channels.
package struct Channels: Sendable {
    /// Nil if mail is not configured. Then messages to participants with mail as their only channel wait.
    package var mail: Channel?
    /// Nil if Web Push is not configured.
    package var push: PushSender?
    /// Nil if webhooks are not configured.
    package var webhook: WebhookSender?

    /// Creates channels; by default none is configured.
    package init(mail: Channel? = nil, push: PushSender? = nil, webhook: WebhookSender? = nil) {
        self.mail = mail
        self.push = push
        self.webhook = webhook
    }

    /// Whether no channel is configured, so that no message can be sent.
    package var isEmpty: Bool { mail == nil && push == nil && webhook == nil }
}

/// Sends mail. A channel is one function, so that tests can replace the network.
package struct Channel: Sendable {
    /// The name in logs and metrics.
    package var name: String
    /// Makes one attempt. It never throws; a fault is an outcome.
    package var deliver: @Sendable (Delivery) async -> DeliveryOutcome

    /// Creates a channel from its function.
    package init(name: String, deliver: @escaping @Sendable (Delivery) async -> DeliveryOutcome) {
        self.name = name
        self.deliver = deliver
    }
}
