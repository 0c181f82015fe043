import CCurl
import SaunterCore

/// One attempt to submit one mail. It blocks its thread.
struct MailAttempt: Sendable {
    let server: MailServer
    let message: MailMessage

    /// Runs libcurl and reads its report.
    func run(_ cancellation: TransferCancellation) -> MailOutcome {
        var request = saunter_mail_request()
        var report = saunter_mail_report()
        let bytes = message.rendered()
        request.tls = tls
        request.connect_timeout_ms = Self.milliseconds(server.connectTimeout)
        request.total_timeout_ms = Self.milliseconds(server.totalTimeout)
        request.cancellation = cancellation.pointer
        request.message_length = bytes.count
        withCStrings([
            url, message.from, message.to, server.credentials?.user, server.credentials?.password.revealed,
            server.caFile,
        ]) { strings in
            bytes.withUnsafeBufferPointer { content in
                request.message = content.baseAddress
                request.url = strings[0]
                request.sender = strings[1]
                request.recipient = strings[2]
                request.user = strings[3]
                request.password = strings[4]
                request.ca_file = strings[5]
                saunter_mail_send(&request, &report)
            }
        }
        return outcome(MailReport(report))
    }

    /// The outcome that follows from the report.
    ///
    /// A reply of 4xx or 5xx always means that the server has not accepted the mail. Only a reply to RCPT or to the
    /// message concerns the recipient; other errors concern the server and every recipient. Without a reply, the mail
    /// was certainly not sent if part of it was still unsent. Otherwise the outcome is unknown.
    func outcome(_ report: MailReport) -> MailOutcome {
        let reply = redacted(report.reply)
        if report.error == 0 { return .accepted(reply: reply) }
        let text = (200..<400).contains(report.code) || reply.isEmpty ? redacted(report.errorText) : reply
        if report.kind == .certificate || report.kind == .tlsMissing {
            return .temporaryFailure(code: nil, text: redacted(report.errorText), retryable: false)
        }
        // Some servers demand a login only in their reply to RCPT.
        let isServerFault =
            report.kind == .login || !report.concernsRecipientOrMessage
            || report.code == Self.authenticationRequired
        if isServerFault, report.kind == .login || (400..<600).contains(report.code) {
            return .serverFault(
                code: report.code, text: text, retryable: (400..<500).contains(report.code))
        }
        switch report.code {
        case 400..<500: return .temporaryFailure(code: report.code, text: text, retryable: true)
        case 500..<600: return .permanentFailure(code: report.code, text: text)
        default: break
        }
        if report.isMessageSent { return .unknown(text: redacted(report.errorText)) }
        return .temporaryFailure(code: nil, text: redacted(report.errorText), retryable: true)
    }

    /// RFC 4954: authentication required.
    private static let authenticationRequired = 530

    private var tls: saunter_mail_tls {
        switch server.security {
        case .tls, .startTLSRequired: SAUNTER_MAIL_TLS_REQUIRED
        case .startTLSOffered: SAUNTER_MAIL_TLS_OFFERED
        case .none: SAUNTER_MAIL_TLS_NEVER
        }
    }

    private var url: String {
        let path = server.ehloName.map { "/\($0)" } ?? ""
        return "\(server.security == .tls ? "smtps" : "smtp")://\(server.host):\(server.port)\(path)"
    }

    /// Printable text without addresses and credentials.
    func redacted(_ text: String) -> String {
        var result = String(
            decoding: text.utf8.map { (0x20...0x7E).contains($0) ? $0 : UInt8(ascii: "?") }, as: UTF8.self)
        let secrets = [
            (message.to, "(recipient)"), (message.from, "(sender)"),
            (server.credentials?.password.revealed ?? "", "(password)"),
            (server.credentials?.user ?? "", "(user)"),
        ]
        for (secret, placeholder) in secrets where !secret.isEmpty {
            result = Self.replacing(secret, in: result, by: placeholder)
        }
        return result
    }

    /// Replaces every occurrence, ignoring the case of ASCII letters.
    private static func replacing(_ secret: String, in text: String, by placeholder: String) -> String {
        let pattern = Array(secret.lowercased().utf8)
        var remainder = Array(text.utf8)[...]
        var output: [UInt8] = []
        while !remainder.isEmpty {
            let prefix = String(decoding: remainder.prefix(pattern.count), as: UTF8.self).lowercased()
            if Array(prefix.utf8) == pattern {
                output += Array(placeholder.utf8)
                remainder = remainder.dropFirst(pattern.count)
            } else if let byte = remainder.popFirst() {
                output.append(byte)
            }
        }
        return String(decoding: output, as: UTF8.self)
    }

    private static func milliseconds(_ duration: Duration) -> Int {
        let (seconds, attoseconds) = duration.components
        return Int(min(max(seconds, 0), 86_400)) * 1000 + max(1, Int(attoseconds / 1_000_000_000_000_000))
    }
}
