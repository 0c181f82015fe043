import Logging
import SaunterCore
import SaunterReminders
import Testing

@Suite struct MailChannelTests {
    private func channel(_ port: Int) throws -> MailChannel {
        .smtp(
            through: try MailServer(url: "smtp://127.0.0.1:\(port)"), from: "study@example.org",
            fromName: "Study",
            logger: Logger(label: "test.mail") { _ in SwiftLogNoOpLogHandler() })
    }

    private func delivery(to: String) -> MailDelivery {
        MailDelivery(
            to: to, subject: "Heute fällig", text: "Hallo\n", messageID: "7@example.org",
            date: Instant(milliseconds: 0))
    }

    @Test(arguments: [
        ("anna@example.org", DeliveryOutcome.accepted), ("gone@example.org", .permanentFailure(code: 550)),
        ("busy-after-data@example.org", .temporaryFailure(code: 452)),
        ("drop-after-data@example.org", .unknown),
        ("no address", .permanentFailure(code: nil)),
    ])
    func `the reply of the mail server determines the delivery outcome`(to: String, outcome: DeliveryOutcome)
        async throws
    {
        let server = try await SMTPTestServer()

        #expect(try await channel(server.port).deliver(delivery(to: to)) == outcome)
        try server.stop()
    }

    @Test func `a mail has the header Auto-Submitted`() async throws {
        let server = try await SMTPTestServer()

        _ = try await channel(server.port).deliver(delivery(to: "anna@example.org"))

        let mail = try await server.mail()
        #expect(mail.header("Auto-Submitted") == "auto-generated" && mail.header("Subject") == "Heute fällig")
        #expect(mail.text == "Hallo\n" && mail.header("Message-ID") == "<7@example.org>")
        try server.stop()
    }
}
