import Foundation
import SaunterCore
import SaunterReminders
import Testing

/// Mail handed to a real SMTP server.
@Suite struct MailSendingTests {
    /// For a mail to be handed in as far as a server goes that falls silent; far less than a sender waits by
    /// itself.
    private static let enough = Duration.seconds(8)

    private func message(
        from: String = "study@example.org", to: String = "anna@example.org",
        subject: String = "Today's questions", text: String = "Hello\n"
    ) throws -> MailMessage {
        try MailMessage(
            from: from, fromName: "Mindful Walking", to: to, subject: subject, text: text,
            messageID: "1@example.org", date: Instant(milliseconds: 1_795_248_000_000))
    }

    @Test func `a plain mail arrives`() async throws {
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

    @Test func `every character arrives as it was written`() async throws {
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
        let got = try await server.mail()
        #expect(got.header("Subject") == subject)
        #expect(got.from_name == "Achtsames Gehen, \"Zürich\"")
        #expect(got.recipients == ["anna.o'neil+x@example.org"])
        #expect(got.text == text + "\n")
        #expect(got.html == "<p>Käse 🧀</p>\n")
        #expect(got.content_type == "multipart/alternative")
        #expect(got.header("List-Unsubscribe-Post") == "List-Unsubscribe=One-Click")
        #expect(got.header("List-Unsubscribe")?.hasSuffix("xxx>") == true)
        #expect(got.date == "1970-01-01T00:00:00+00:00")
        #expect(got.is_ascii && got.longest_line < 300 && got.defects.isEmpty, "\(got.defects)")
        try server.stop()
    }

    @Test func `a login goes over TLS checked against the own authority`() async throws {
        let server = try await SMTPTestServer("--tls", "starttls", "--auth", "mailer:p@ss:wörd/%")
        let sender = try MailServer(
            url: "smtp://mailer:p%40ss:w%C3%B6rd%2F%25@localhost:\(server.port)?ca=\(server.authority)")

        let outcome = await sender.send(try message())

        #expect(outcome == .accepted(reply: "250 2.0.0 queued as 4711"))
        let mail = try await server.mail()
        #expect(mail.is_encrypted && mail.login == "mailer")
        try server.stop()
    }

    @Test func `TLS from the first byte works as well`() async throws {
        let server = try await SMTPTestServer("--tls", "implicit")
        let sender = try MailServer(url: "smtps://127.0.0.1:\(server.port)?ca=\(server.authority)")

        let outcome = await sender.send(try message())

        #expect(outcome == .accepted(reply: "250 2.0.0 queued as 4711"))
        #expect(try await server.mail().is_encrypted)
        try server.stop()
    }

    @Test(arguments: ["smtp", "smtps"])
    func `a certificate of an unknown authority is refused`(scheme: String) async throws {
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

    @Test func `nothing is sent in the clear when STARTTLS is required and missing`() async throws {
        let server = try await SMTPTestServer()
        let sender = try MailServer(url: "smtp://mailer:secret@127.0.0.1:\(server.port)")

        let outcome = await sender.send(try message())

        guard case .temporaryFailure(nil, _, retryable: false) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        try server.stop()
    }

    @Test func `a bad login is no fault of the recipient's`() async throws {
        let server = try await SMTPTestServer("--tls", "starttls", "--auth", "mailer:right")
        let sender = try MailServer(
            url: "smtp://mailer:wrong@localhost:\(server.port)?ca=\(server.authority)")

        let outcome = await sender.send(try message())

        guard case .serverFault(535, let text, retryable: false) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(!text.contains("wrong") && !text.contains("mailer"))
        try server.stop()
    }

    @Test func `a busy server takes it the second time`() async throws {
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
    func `a refusal is told by its code and never by the address`(to: String, expected: MailOutcome)
        async throws
    {
        let server = try await SMTPTestServer()
        let sender = try MailServer(url: "smtp://127.0.0.1:\(server.port)")

        #expect(await sender.send(try message(to: to)) == expected)
        try server.stop()
    }

    @Test(arguments: [
        ("busy-server@example.org", 421, true), ("refused-sender@example.org", 550, false),
        ("login-wanted@example.org", 530, false),
    ])
    func `what is said before the recipient is named is the server's fault`(
        from: String, code: Int, retryable: Bool
    ) async throws {
        let server = try await SMTPTestServer()
        let sender = try MailServer(url: "smtp://127.0.0.1:\(server.port)")

        let outcome = await sender.send(try message(from: from))

        guard case .serverFault(let said, _, let again) = outcome, said == code, again == retryable else {
            Issue.record("\(outcome)")
            return
        }
        try server.stop()
    }

    @Test(arguments: ["drop-after-data", "silent-after-data"])
    func `nobody knows what became of a mail whose answer never came`(mood: String) async throws {
        let server = try await SMTPTestServer()
        var sender = try MailServer(url: "smtp://127.0.0.1:\(server.port)")
        sender.totalTimeout = Self.enough

        let start = ContinuousClock.now
        let outcome = await sender.send(try message(to: "\(mood)@example.org"))

        #expect(ContinuousClock.now - start < .seconds(60))
        guard case .unknown = outcome else {
            Issue.record("\(outcome)")
            return
        }
        try server.stop()
    }

    @Test(arguments: [("drop-at-rcpt", 10), ("silent-at-rcpt", 10), ("drop-in-data", 4_000_000)])
    func `a connection lost before the end means surely not sent`(mood: String, size: Int) async throws {
        let server = try await SMTPTestServer()
        var sender = try MailServer(url: "smtp://127.0.0.1:\(server.port)")
        sender.totalTimeout = .seconds(mood == "drop-in-data" ? 60 : 2)

        let outcome = await sender.send(
            try message(to: "\(mood)@example.org", text: String(repeating: "x", count: size)))

        guard case .temporaryFailure(nil, _, retryable: true) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        try server.stop()
    }

    @Test func `a mail is accepted even if the server says nothing after it`() async throws {
        let server = try await SMTPTestServer()
        var sender = try MailServer(url: "smtp://127.0.0.1:\(server.port)")
        sender.totalTimeout = Self.enough

        let start = ContinuousClock.now
        let outcome = await sender.send(try message(to: "silent-at-quit@example.org"))

        #expect(outcome == .accepted(reply: "250 2.0.0 queued as 4711"))
        #expect(ContinuousClock.now - start < .seconds(60))
        try server.stop()
    }

    @Test func `nobody at home is worth another try`() async throws {
        let server = try await SMTPTestServer()
        let port = server.port
        try server.stop()

        let outcome = try await MailServer(url: "smtp://127.0.0.1:\(port)").send(try message())

        guard case .temporaryFailure(nil, _, retryable: true) = outcome else {
            Issue.record("\(outcome)")
            return
        }
    }

    @Test func `a cancelled task does not wait for a silent server`() async throws {
        let server = try await SMTPTestServer()
        let sender = try MailServer(url: "smtp://127.0.0.1:\(server.port)")
        let mail = try message(to: "silent-at-rcpt@example.org")

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

    @Test func `many at once arrive each once`() async throws {
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
