/// What became of one mail.
///
/// Texts are the server's or libcurl's words with addresses and credentials taken out; they may be stored
/// and logged.
package enum MailOutcome: Sendable, Equatable {
    /// The server took responsibility for the mail.
    case accepted(reply: String)
    /// The mail was surely not sent, for a reason that may go away. `code` is the server's reply, nil when
    /// there was none. `retryable` is false when somebody has to change the configuration first
    /// (untrusted certificate): trying soon again is of no use.
    case temporaryFailure(code: Int?, text: String, retryable: Bool)
    /// The server refused before it had heard of the recipient: its greeting, the login, the sender. That is its own fault or the configuration's
    /// and holds for everybody's mail. `retryable` as above.
    case serverFault(code: Int, text: String, retryable: Bool)
    /// The server refused this mail for good; it was surely not sent.
    case permanentFailure(code: Int, text: String)
    /// The connection was lost after the whole mail had gone out and before the answer: it may have been
    /// accepted.
    case unknown(text: String)
}
