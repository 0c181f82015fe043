/// Why a mail or the URL of a mail server is invalid. The text never contains an address or a password.
package enum MailFault: Error, Sendable, Equatable, CustomStringConvertible {
    /// The value of a header contains a control character, which could forge headers, or is too long or not in ASCII.
    case unsafeHeader(name: String)
    /// The name of a header is invalid, or Saunter sets this header itself.
    case badHeaderName(String)
    /// The value of an address header is not a valid address.
    case badAddress(header: String)
    /// The URL of the mail server is invalid.
    case badServer(reason: String)

    /// One line for the operator.
    package var description: String {
        switch self {
        case .unsafeHeader(let name):
            "the mail header \(name) contains a character that is not allowed, or is too long"
        case .badHeaderName(let name): "the mail header \(MailText.printable(name)) cannot be set"
        case .badAddress(let header):
            "the mail header \(header) contains no valid mail address"
        case .badServer(let reason): "SAUNTER_SMTP_URL: \(reason)"
        }
    }
}
