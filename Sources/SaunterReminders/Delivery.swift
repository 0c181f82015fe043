import Foundation
import SaunterCore

/// A message on its way to one person.
package struct Delivery: Sendable {
    package var to: String
    package var subject: String
    package var text: String
    /// Stays the same over retries, so that a provider can recognise a second copy.
    package var messageID: String
    package var date: Instant

    package init(to: String, subject: String, text: String, messageID: String, date: Instant) {
        self.to = to
        self.subject = subject
        self.text = text
        self.messageID = messageID
        self.date = date
    }
}

/// What a channel says of a delivery.
package enum DeliveryOutcome: Sendable, Hashable {
    case accepted
    /// Surely not delivered; worth another try, after so many seconds where the other side names them.
    case temporaryFailure(code: Int?, retryAfter: Int? = nil)
    /// Surely not delivered, through a fault of the server that would take it: it says nothing of the person, and strikes others as well.
    case outage(code: Int)
    /// Surely not delivered, and never will be.
    case permanentFailure(code: Int?)
    /// Surely not delivered, because what would be reached is no more.
    case gone
    /// The connection was lost when the message may have been taken already.
    case unknown
}

extension DeliveryOutcome {
    /// Whether the other side's server is at fault, or none answers: then nothing follows for the person.
    package var isOutage: Bool {
        switch self {
        case .outage: true
        case .temporaryFailure(let code, _): code.map { $0 >= 500 } ?? true
        case .accepted, .permanentFailure, .gone, .unknown: false
        }
    }
}

/// Every way by which messages go out.
package struct Channels: Sendable {
    /// Nil where no mail can be sent: then those who take nothing else wait.
    package var mail: Channel?
    package var push: PushSender?
    package var webhook: WebhookSender?

    package init(mail: Channel? = nil, push: PushSender? = nil, webhook: WebhookSender? = nil) {
        self.mail = mail
        self.push = push
        self.webhook = webhook
    }

    package var isEmpty: Bool { mail == nil && push == nil && webhook == nil }
}

/// A way to reach people by mail: one function, so that tests can stand in for the outer world and nothing else.
package struct Channel: Sendable {
    package var name: String
    package var deliver: @Sendable (Delivery) async -> DeliveryOutcome

    package init(name: String, deliver: @escaping @Sendable (Delivery) async -> DeliveryOutcome) {
        self.name = name
        self.deliver = deliver
    }
}
