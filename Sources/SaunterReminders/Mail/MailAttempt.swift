import CCurl

/// One try to hand in one mail, on a thread that may wait.
struct MailAttempt: Sendable {
    let server: MailServer
    let message: MailMessage

    /// Runs libcurl and reads its report.
    func run(_ stop: TransferStop) -> MailOutcome {
        var request = saunter_mail_request()
        var report = saunter_mail_report()
        let bytes = message.rendered()
        request.tls = tls
        request.connect_timeout_ms = Self.milliseconds(server.connectTimeout)
        request.total_timeout_ms = Self.milliseconds(server.totalTimeout)
        request.stop = stop.pointer
        request.message_length = bytes.count
        withCStrings([
            url, message.from, message.to, server.credentials?.user, server.credentials?.password,
            server.authorities,
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

    /// What the report means.
    ///
    /// A reply of 4xx or 5xx settles it whenever it came: the server has not taken the mail. Only one about the
    /// recipient or the message says something of them; a relay that lets nobody in refuses everybody. Without a
    /// reply the mail was surely not sent as long as part of it was still here; after that nobody knows.
    func outcome(_ report: MailReport) -> MailOutcome {
        let reply = clean(report.reply)
        if report.error == 0 { return .accepted(reply: reply) }
        let text = (200..<400).contains(report.code) || reply.isEmpty ? clean(report.errorText) : reply
        if report.kind == .certificate || report.kind == .tlsMissing {
            return .temporaryFailure(code: nil, text: clean(report.errorText), retryable: false)
        }
        // Some servers ask for a login only when they hear of the recipient.
        let isOfServer = report.kind == .login || !report.isAboutMail || report.code == Self.loginWanted
        if isOfServer, report.kind == .login || (400..<600).contains(report.code) {
            return .serverFault(
                code: report.code, text: text, retryable: (400..<500).contains(report.code))
        }
        switch report.code {
        case 400..<500: return .temporaryFailure(code: report.code, text: text, retryable: true)
        case 500..<600: return .permanentFailure(code: report.code, text: text)
        default: break
        }
        if report.isMessageSent { return .unknown(text: clean(report.errorText)) }
        return .temporaryFailure(code: nil, text: clean(report.errorText), retryable: true)
    }

    /// RFC 4954: authentication required.
    private static let loginWanted = 530

    private var tls: saunter_mail_tls {
        switch server.security {
        case .tls, .startTLSRequired: SAUNTER_MAIL_TLS_REQUIRED
        case .startTLSOffered: SAUNTER_MAIL_TLS_OFFERED
        case .none: SAUNTER_MAIL_TLS_NEVER
        }
    }

    private var url: String {
        let path = server.helloName.map { "/\($0)" } ?? ""
        return "\(server.security == .tls ? "smtps" : "smtp")://\(server.host):\(server.port)\(path)"
    }

    /// Printable, and without what identifies a person or opens a door.
    func clean(_ text: String) -> String {
        var shown = String(
            decoding: text.utf8.map { (0x20...0x7E).contains($0) ? $0 : UInt8(ascii: "?") }, as: UTF8.self)
        let secrets = [
            (message.to, "(recipient)"), (message.from, "(sender)"),
            (server.credentials?.password ?? "", "(password)"),
            (server.credentials?.user ?? "", "(user)"),
        ]
        for (secret, name) in secrets where !secret.isEmpty {
            shown = Self.replacing(secret, in: shown, by: name)
        }
        return shown
    }

    /// Replaces every occurrence, whatever the case of its ASCII letters.
    private static func replacing(_ secret: String, in text: String, by name: String) -> String {
        let needle = Array(secret.lowercased().utf8)
        var rest = Array(text.utf8)[...]
        var output: [UInt8] = []
        while !rest.isEmpty {
            let head = String(decoding: rest.prefix(needle.count), as: UTF8.self).lowercased()
            if Array(head.utf8) == needle {
                output += Array(name.utf8)
                rest = rest.dropFirst(needle.count)
            } else if let byte = rest.popFirst() {
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
