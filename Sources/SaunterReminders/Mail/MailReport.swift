import CCurl

/// The report of libcurl about one attempt, in Swift types.
struct MailReport: Sendable, Equatable {
    /// A kind of failure that needs special treatment.
    enum Kind: Sendable, Equatable {
        case certificate, tlsMissing, login, other
    }

    /// The error number of libcurl; 0 for success.
    var error: Int
    var errorText: String
    /// The code of the last reply, 0 when there was none.
    var code: Int
    /// The last line of the last reply.
    var reply: String
    /// Whether the complete message was written to the connection.
    var isMessageSent: Bool
    /// Whether the last reply answers RCPT or the complete message. Other replies concern the server or the sender.
    var concernsRecipientOrMessage = false
    var kind: Kind
}

extension MailReport {
    init(_ report: saunter_mail_report) {
        error = Int(report.error)
        errorText = Self.text(report.error_text)
        code = report.reply_code
        reply = Self.text(report.reply)
        isMessageSent = report.message_sent != 0
        concernsRecipientOrMessage = report.is_about_mail != 0
        kind =
            report.is_certificate_fault != 0
            ? .certificate
            : report.is_tls_missing != 0 ? .tlsMissing : report.is_login_refused != 0 ? .login : .other
    }

    /// A C array of characters, up to its NUL.
    private static func text<Characters>(_ characters: Characters) -> String {
        withUnsafeBytes(of: characters) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }
}

/// Provides C strings for the duration of a call. Nil becomes NULL.
func withCStrings<Result>(
    _ strings: [String?], _ body: ([UnsafePointer<CChar>?]) -> Result
) -> Result {
    func append(_ remaining: ArraySlice<String?>, to pointers: [UnsafePointer<CChar>?]) -> Result {
        guard let first = remaining.first else { return body(pointers) }
        guard let text = first else { return append(remaining.dropFirst(), to: pointers + [nil]) }
        return text.withCString { append(remaining.dropFirst(), to: pointers + [$0]) }
    }
    return append(strings[...], to: [])
}
