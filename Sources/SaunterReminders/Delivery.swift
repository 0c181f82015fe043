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
    /// Surely not delivered; worth another try.
    case temporaryFailure(code: Int?)
    /// Surely not delivered, and never will be.
    case permanentFailure(code: Int?)
    /// The connection was lost when the message may have been taken already.
    case unknown
}

/// A way to reach people: one function, so that tests can stand in for the outer world and nothing else.
package struct Channel: Sendable {
    package var name: String
    package var deliver: @Sendable (Delivery) async -> DeliveryOutcome

    package init(name: String, deliver: @escaping @Sendable (Delivery) async -> DeliveryOutcome) {
        self.name = name
        self.deliver = deliver
    }
}
