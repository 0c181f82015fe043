import SaunterCore

/// One mail to one recipient.
package struct MailDelivery: Sendable {
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
