import CCurl

/// What libcurl saw of one attempt, in Swift's terms.
struct MailReport: Sendable, Equatable {
    /// A failure that says more than its reply.
    enum Kind: Sendable, Equatable {
        case certificate, tlsMissing, login, other
    }

    /// 0 for success.
    var error: Int
    var errorText: String
    /// The code of the last reply, 0 when there was none.
    var code: Int
    /// The last line of the last reply.
    var reply: String
    /// Whether the whole message had been handed to the connection.
    var isMessageSent: Bool
    /// Whether the last reply is about the recipient or the message, not about the server or the sender.
    var isAboutMail = false
    var kind: Kind
}

extension MailReport {
    init(_ report: saunter_mail_report) {
        error = Int(report.error)
        errorText = Self.text(report.error_text)
        code = report.reply_code
        reply = Self.text(report.reply)
        isMessageSent = report.message_sent != 0
        isAboutMail = report.is_about_mail != 0
        kind =
            report.is_certificate_fault != 0
            ? .certificate
            : report.is_tls_missing != 0 ? .tlsMissing : report.is_login_refused != 0 ? .login : .other
    }

    /// A C array of characters up to its NUL.
    private static func text<Characters>(_ characters: Characters) -> String {
        withUnsafeBytes(of: characters) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }
}

/// Lends C strings for a call; nil stays NULL.
func withCStrings<Result>(
    _ strings: [String?], _ body: ([UnsafePointer<CChar>?]) -> Result
) -> Result {
    func lend(_ rest: ArraySlice<String?>, _ lent: [UnsafePointer<CChar>?]) -> Result {
        guard let first = rest.first else { return body(lent) }
        guard let text = first else { return lend(rest.dropFirst(), lent + [nil]) }
        return text.withCString { lend(rest.dropFirst(), lent + [$0]) }
    }
    return lend(strings[...], [])
}
