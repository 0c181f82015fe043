/// Why a message or a mail server's address cannot be used. Never carries an address or a password.
package enum MailFault: Error, Sendable, Equatable, CustomStringConvertible {
    /// A header's value holds a line end or another control character: it could forge headers.
    case unsafeHeader(name: String)
    /// A header's name is not one, or is one that the message sets itself.
    case badHeaderName(String)
    /// The address of a header cannot be one.
    case badAddress(header: String)
    /// The URL of the mail server is wrong.
    case badServer(reason: String)

    package var description: String {
        switch self {
        case .unsafeHeader(let name):
            "the mail header \(name) holds a line end or another character that it may not"
        case .badHeaderName(let name): "the mail header \(MailText.printable(name)) cannot be set"
        case .badAddress(let header):
            "the address in the mail header \(header) is none that mail can be sent to"
        case .badServer(let reason): "SAUNTER_SMTP_URL: \(reason)"
        }
    }
}
