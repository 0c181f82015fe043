import Foundation
import SaunterCore
import SaunterReminders
import Testing

/// Mail that is sent to a real SMTP server.
@Suite struct MailSendingTests {
    /// Enough time to send a mail to a server that then stops responding, and much less than the default timeout.
    private static let shortTimeout = Duration.seconds(8)

    private func message(
        from: String = "study@example.org", to: String = "anna@example.org",
        subject: String = "Today's questions", text: String = "Hello\n"
    ) throws -> MailMessage {
        try MailMessage(
            from: from, fromName: "Mindful Walking", to: to, subject: subject, text: text,
            messageID: "1@example.org", date: Instant(milliseconds: 1_795_248_000_000))
    }

    @Test func `a plain mail is delivered`() async throws {
        let server = try await SMTPTestServer()
        let sender = try MailServer(url: "smtp://127.0.0.1:\(server.port)/saunter.test")

        let outcome = await sender.send(try message())

        #expect(outcome == .accepted(reply: "250 2.0.0 queued as 4711"))
        let mail = try await server.mail()
        #expect(mail.sender == "study@example.org" && mail.recipients == ["anna@example.org"])
        #expect(mail.from_name == "Mindful Walking" && mail.to == "anna@example.org")
        #expect(mail.header("Subject") == "Today's questions")
        #expect(mail.header("Message-ID") == "<1@example.org>")
        #expect(mail.date == "2026-11-21T08:00:00+00:00")
        #expect(mail.text == "Hello\n" && mail.content_type == "text/plain")
        #expect(mail.hello == "saunter.test")
        #expect(!mail.is_encrypted && mail.login == nil && mail.defects.isEmpty)
        try server.stop()
    }

    @Test func `every character of a mail is preserved`() async throws {
        let server = try await SMTPTestServer()
        let sender = try MailServer(url: "smtp://127.0.0.1:\(server.port)")
        let subject = "Heute fällig: ein Käse — 歩く 🚶‍♀️ " + String(repeating: "ü", count: 100) + " =?utf-8?Q?x?="
        let text = """
            Guten Abend, Zoë!

            .a dot at the start
            ..two of them
            .
            trailing space \u{20}
            tab\t
            From here = there; 100 % =3D
            \(String(repeating: "lang🚶", count: 200))
            \(String(repeating: ".", count: 300))
            \u{0} \u{7f} \u{feff}
            — the end
            """
        let mail = try MailMessage(
            from: "study@example.org", fromName: "Achtsames Gehen, \"Zürich\"",
            to: "anna.o'neil+x@example.org",
            subject: subject, text: text, html: "<p>Käse 🧀</p>\n", messageID: "2@example.org",
            date: Instant(milliseconds: 0),
            headers: [
                .init(
                    "List-Unsubscribe",
                    "<https://study.example.org/unsubscribe?t=\(String(repeating: "x", count: 200))>"),
                .init("List-Unsubscribe-Post", "List-Unsubscribe=One-Click"),
                .init("Auto-Submitted", "auto-generated"),
            ])

        let outcome = await sender.send(mail)

        #expect(outcome == .accepted(reply: "250 2.0.0 queued as 4711"))
        let received = try await server.mail()
        #expect(received.header("Subject") == subject)
        #expect(received.from_name == "Achtsames Gehen, \"Zürich\"")
        #expect(received.recipients == ["anna.o'neil+x@example.org"])
        #expect(received.text == text + "\n")
        #expect(received.html == "<p>Käse 🧀</p>\n")
        #expect(received.content_type == "multipart/alternative")
        #expect(received.header("List-Unsubscribe-Post") == "List-Unsubscribe=One-Click")
        #expect(received.header("List-Unsubscribe")?.hasSuffix("xxx>") == true)
        #expect(received.date == "1970-01-01T00:00:00+00:00")
        #expect(
            received.is_ascii && received.longest_line < 300 && received.defects.isEmpty,
            "\(received.defects)")
        try server.stop()
    }

    @Test func `the login uses TLS with a certificate of the configured authority`() async throws {
        let server = try await SMTPTestServer("--tls", "starttls", "--auth", "mailer:p@ss:wörd/%")
        let sender = try MailServer(
            url: "smtp://mailer:p%40ss:w%C3%B6rd%2F%25@localhost:\(server.port)?ca=\(server.caFile)")

        let outcome = await sender.send(try message())

        #expect(outcome == .accepted(reply: "250 2.0.0 queued as 4711"))
        let mail = try await server.mail()
        #expect(mail.is_encrypted && mail.login == "mailer")
        try server.stop()
    }

    @Test func `a mail is delivered with TLS from the first byte`() async throws {
        let server = try await SMTPTestServer("--tls", "implicit")
        let sender = try MailServer(url: "smtps://127.0.0.1:\(server.port)?ca=\(server.caFile)")

        let outcome = await sender.send(try message())

        #expect(outcome == .accepted(reply: "250 2.0.0 queued as 4711"))
        #expect(try await server.mail().is_encrypted)
        try server.stop()
    }

    @Test(arguments: ["smtp", "smtps"])
    func `a certificate of an unknown authority is rejected`(scheme: String) async throws {
        let server = try await SMTPTestServer("--tls", scheme == "smtp" ? "starttls" : "implicit")
        let option = scheme == "smtp" ? "?starttls=required" : ""
        let sender = try MailServer(url: "\(scheme)://localhost:\(server.port)\(option)")

        let outcome = await sender.send(try message())

        guard case .temporaryFailure(nil, let text, retryable: false) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(text.contains("certificate"))
        try server.stop()
    }

    @Test func `nothing is sent if STARTTLS is required and the server does not offer it`() async throws {
        let server = try await SMTPTestServer()
        let sender = try MailServer(url: "smtp://mailer:secret@127.0.0.1:\(server.port)")

        let outcome = await sender.send(try message())

        guard case .temporaryFailure(nil, _, retryable: false) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        try server.stop()
    }

    @Test func `a rejected login is a server fault`() async throws {
        let server = try await SMTPTestServer("--tls", "starttls", "--auth", "mailer:right")
        let sender = try MailServer(
            url: "smtp://mailer:wrong@localhost:\(server.port)?ca=\(server.caFile)")

        let outcome = await sender.send(try message())

        guard case .serverFault(535, let text, retryable: false) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(!text.contains("wrong") && !text.contains("mailer"))
        try server.stop()
    }

    @Test func `a mail that was rejected temporarily is accepted at the second attempt`() async throws {
        let server = try await SMTPTestServer()
        let sender = try MailServer(url: "smtp://127.0.0.1:\(server.port)")
        let mail = try message(to: "busy-once@example.org")

        let first = await sender.send(mail)
        let second = await sender.send(mail)

        #expect(
            first
                == .temporaryFailure(
                    code: 451, text: "451 4.3.2 <(recipient)> please try again later", retryable: true))
        #expect(second == .accepted(reply: "250 2.0.0 queued as 4711"))
        try server.stop()
    }

    @Test(arguments: [
        (
            "gone@example.org",
            MailOutcome.permanentFailure(code: 550, text: "550 5.1.1 <(recipient)>: no such mailbox")
        ),
        (
            "refused-after-data@example.org",
            .permanentFailure(code: 554, text: "554 5.7.1 is not wanted")
        ),
        (
            "busy-after-data@example.org",
            .temporaryFailure(code: 452, text: "452 4.2.2 mailbox full", retryable: true)
        ),
    ])
    func `a rejection has the reply code and no address`(to: String, expected: MailOutcome) async throws {
        let server = try await SMTPTestServer()
        let sender = try MailServer(url: "smtp://127.0.0.1:\(server.port)")

        #expect(await sender.send(try message(to: to)) == expected)
        try server.stop()
    }

    @Test(arguments: [
        ("busy-server@example.org", 421, true), ("refused-sender@example.org", 550, false),
        ("login-wanted@example.org", 530, false),
    ])
    func `a rejection of the sender is a server fault`(
        from: String, code: Int, retryable: Bool
    ) async throws {
        let server = try await SMTPTestServer()
        let sender = try MailServer(url: "smtp://127.0.0.1:\(server.port)")

        let outcome = await sender.send(try message(from: from))

        guard case .serverFault(code, _, retryable) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        try server.stop()
    }

    @Test(arguments: ["drop-after-data", "no-reply-after-data"])
    func `without a reply to the complete mail the outcome is unknown`(recipient: String) async throws {
        let server = try await SMTPTestServer()
        var sender = try MailServer(url: "smtp://127.0.0.1:\(server.port)")
        sender.totalTimeout = Self.shortTimeout

        let start = ContinuousClock.now
        let outcome = await sender.send(try message(to: "\(recipient)@example.org"))

        #expect(ContinuousClock.now - start < .seconds(60))
        guard case .unknown = outcome else {
            Issue.record("\(outcome)")
            return
        }
        try server.stop()
    }

    @Test(arguments: [("drop-at-rcpt", 10), ("no-reply-at-rcpt", 10), ("drop-in-data", 4_000_000)])
    func `a connection lost before the end of the mail is a temporary failure`(recipient: String, size: Int)
        async throws
    {
        let server = try await SMTPTestServer()
        var sender = try MailServer(url: "smtp://127.0.0.1:\(server.port)")
        sender.totalTimeout = .seconds(recipient == "drop-in-data" ? 60 : 2)

        let outcome = await sender.send(
            try message(to: "\(recipient)@example.org", text: String(repeating: "x", count: size)))

        guard case .temporaryFailure(nil, _, retryable: true) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        try server.stop()
    }

    @Test func `a mail is accepted even if the server does not answer QUIT`() async throws {
        let server = try await SMTPTestServer()
        var sender = try MailServer(url: "smtp://127.0.0.1:\(server.port)")
        sender.totalTimeout = Self.shortTimeout

        let start = ContinuousClock.now
        let outcome = await sender.send(try message(to: "no-reply-at-quit@example.org"))

        #expect(outcome == .accepted(reply: "250 2.0.0 queued as 4711"))
        #expect(ContinuousClock.now - start < .seconds(60))
        try server.stop()
    }

    @Test func `an unreachable server is a temporary failure`() async throws {
        let server = try await SMTPTestServer()
        let port = server.port
        try server.stop()

        let outcome = try await MailServer(url: "smtp://127.0.0.1:\(port)").send(try message())

        guard case .temporaryFailure(nil, _, retryable: true) = outcome else {
            Issue.record("\(outcome)")
            return
        }
    }

    @Test func `a cancelled task does not wait for a server that does not answer`() async throws {
        let server = try await SMTPTestServer()
        let sender = try MailServer(url: "smtp://127.0.0.1:\(server.port)")
        let mail = try message(to: "no-reply-at-rcpt@example.org")

        let start = ContinuousClock.now
        let task = Task { await sender.send(mail) }
        task.cancel()
        let outcome = await task.value

        #expect(ContinuousClock.now - start < .seconds(60))
        guard case .temporaryFailure(nil, _, retryable: true) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        try server.stop()
    }

    @Test func `each of many concurrent mails is delivered once`() async throws {
        let server = try await SMTPTestServer()
        let sender = try MailServer(url: "smtp://127.0.0.1:\(server.port)")

        let outcomes = await withTaskGroup { group in
            for number in 0..<40 {
                group.addTask {
                    do {
                        return await sender.send(try message(to: "person\(number)@example.org"))
                    } catch {
                        return .unknown(text: "\(error)")
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }

        #expect(outcomes.count { $0 == .accepted(reply: "250 2.0.0 queued as 4711") } == 40)
        var recipients: Set<String> = []
        for _ in 0..<40 { recipients.formUnion(try await server.mail().recipients) }
        #expect(recipients.count == 40)
        try server.stop()
    }
}
