/// The outcome of one attempt to send a mail.
///
/// Texts come from the server or from libcurl. Addresses and credentials are removed, so texts can be stored and
/// logged.
package enum MailOutcome: Sendable, Equatable {
    /// The server accepted responsibility for the mail.
    case accepted(reply: String)
    /// The mail was certainly not sent, but a retry can succeed. `code` is the server's reply, nil if there was none.
    /// `retryable` is false if an operator must first change the configuration, for example after an untrusted
    /// certificate.
    case temporaryFailure(code: Int?, text: String, retryable: Bool)
    /// The server refused, and the cause is the server or the configuration, so every mail is affected. There are
    /// three cases:
    ///
    /// 1. The login failed. `code` is the code of the last reply.
    /// 2. The last reply is 4xx or 5xx, and it answers neither RCPT nor the message: it is the greeting, or it answers
    ///    EHLO, AUTH, MAIL or DATA before the message was sent.
    /// 3. The last reply is 530 (authentication required) to any command, also to RCPT and to the message.
    ///
    /// `retryable` is true if `code` is 4xx. Otherwise an operator must first correct the cause.
    case serverFault(code: Int, text: String, retryable: Bool)
    /// The server refused this mail permanently. It was certainly not sent.
    case permanentFailure(code: Int, text: String)
    /// The connection was lost after the complete mail was sent and before the reply. The mail may have been accepted.
    case unknown(text: String)
}
