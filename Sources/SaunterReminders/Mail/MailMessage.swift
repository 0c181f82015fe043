import SaunterCore

/// A mail to one recipient. The initialiser rejects values that could forge a header, so every value is safe to send.
package struct MailMessage: Sendable, Equatable {
    /// The mail address of the sender.
    package let from: String
    /// The name of the sender; nil for the address alone.
    package let fromName: String?
    /// The mail address of the recipient.
    package let to: String
    /// One line; encoded if it is not ASCII.
    package let subject: String
    /// The plain text.
    package let text: String
    /// The HTML version of `text`.
    package let html: String?
    /// Without angle brackets, for example `0198….reminder@study.example.org`. All attempts use the same id, so that
    /// the recipient's mail program can recognise a duplicate.
    package let messageID: String
    /// The value of the `Date` header.
    package let date: Instant
    /// Additional headers in order, for example `List-Unsubscribe`. Values are plain ASCII.
    package let headers: [Header]

    /// An additional header.
    package struct Header: Sendable, Equatable {
        /// The name of the header.
        package let name: String
        /// Plain ASCII without line ends.
        package let value: String

        /// Creates a header that `MailMessage` checks.
        package init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    /// Rejects control characters in header values, invalid addresses, and headers that the message sets itself.
    package init(
        from: String, fromName: String? = nil, to: String, subject: String, text: String, html: String? = nil,
        messageID: String, date: Instant, headers: [Header] = []
    ) throws(MailFault) {
        for (name, value) in [("From", fromName ?? ""), ("Subject", subject), ("From", from), ("To", to)] {
            guard MailText.isSafe(value) else { throw .unsafeHeader(name: name) }
        }
        guard MailAddress.isUsable(from) else { throw .badAddress(header: "From") }
        guard MailAddress.isUsable(to) else { throw .badAddress(header: "To") }
        // A message id has the same syntax as an address.
        guard MailAddress.isUsable(messageID) else { throw .unsafeHeader(name: "Message-ID") }
        var seen = Self.reservedHeaders
        for header in headers {
            let lowercaseName = header.name.lowercased()
            guard Self.isHeaderName(header.name), seen.insert(lowercaseName).inserted else {
                throw .badHeaderName(header.name)
            }
            // RFC 5322 allows 998 characters in a line. The value is not folded.
            guard MailText.isPlain(header.value), header.value.utf8.count <= 900 else {
                throw .unsafeHeader(name: header.name)
            }
        }
        self.from = from
        self.fromName = fromName
        self.to = to
        self.subject = subject
        self.text = text
        self.html = html
        self.messageID = messageID
        self.date = date
        self.headers = headers
    }

    /// Headers that `rendered` sets, and headers that would conflict with them.
    private static let reservedHeaders: Set<String> = [
        "from", "to", "cc", "bcc", "sender", "subject", "date", "message-id", "mime-version", "content-type",
        "content-transfer-encoding", "content-disposition", "return-path", "received",
    ]

    private static func isHeaderName(_ name: String) -> Bool {
        !name.isEmpty && name.utf8.count <= 60
            && name.utf8.allSatisfy { MailText.isAlphanumeric($0) || $0 == UInt8(ascii: "-") }
    }
}
