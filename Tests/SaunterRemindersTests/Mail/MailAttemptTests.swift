import SaunterCore
import Testing

@testable import SaunterReminders

@Suite struct MailAttemptTests {
    private let attempt: MailAttempt

    init() throws {
        let message = try MailMessage(
            from: "study@example.org", to: "anna@example.org", subject: "Hello", text: "",
            messageID: "1@example.org",
            date: Instant(milliseconds: 0))
        attempt = MailAttempt(server: try MailServer(url: "smtp://mailer:s3cret@mail"), message: message)
    }

    @Test(arguments: [
        (
            MailReport(
                error: 0, errorText: "", code: 250, reply: "250 ok", isMessageSent: true, kind: .other),
            MailOutcome.accepted(reply: "250 ok")
        ),
        (
            MailReport(
                error: 7, errorText: "refused", code: 0, reply: "", isMessageSent: false, kind: .other),
            .temporaryFailure(code: nil, text: "refused", retryable: true)
        ),
        (
            MailReport(
                error: 55, errorText: "lost", code: 250, reply: "250 ok", isMessageSent: false, kind: .other),
            .temporaryFailure(code: nil, text: "lost", retryable: true)
        ),
        (
            MailReport(
                error: 56, errorText: "lost", code: 354, reply: "354 go", isMessageSent: true, kind: .other),
            .unknown(text: "lost")
        ),
        (
            MailReport(
                error: 8, errorText: "odd", code: 554, reply: "554 no", isMessageSent: true,
                concernsRecipientOrMessage: true, kind: .other),
            .permanentFailure(code: 554, text: "554 no")
        ),
        (
            MailReport(
                error: 8, errorText: "odd", code: 421, reply: "421 bye", isMessageSent: true,
                concernsRecipientOrMessage: true, kind: .other),
            .temporaryFailure(code: 421, text: "421 bye", retryable: true)
        ),
        (
            MailReport(
                error: 67, errorText: "denied", code: 535, reply: "535 no", isMessageSent: false, kind: .login
            ),
            .serverFault(code: 535, text: "535 no", retryable: false)
        ),
        (
            MailReport(
                error: 67, errorText: "denied", code: 454, reply: "454 later", isMessageSent: false,
                kind: .login),
            .serverFault(code: 454, text: "454 later", retryable: true)
        ),
        (
            MailReport(
                error: 8, errorText: "odd", code: 554, reply: "554 no", isMessageSent: false, kind: .other),
            .serverFault(code: 554, text: "554 no", retryable: false)
        ),
        (
            MailReport(
                error: 8, errorText: "odd", code: 421, reply: "421 busy", isMessageSent: false, kind: .other),
            .serverFault(code: 421, text: "421 busy", retryable: true)
        ),
        (
            MailReport(
                error: 55, errorText: "failed", code: 530, reply: "530 login", isMessageSent: false,
                concernsRecipientOrMessage: true, kind: .other),
            .serverFault(code: 530, text: "530 login", retryable: false)
        ),
        (
            MailReport(
                error: 55, errorText: "failed", code: 550, reply: "550 nobody", isMessageSent: false,
                concernsRecipientOrMessage: true, kind: .other),
            .permanentFailure(code: 550, text: "550 nobody")
        ),
        (
            MailReport(
                error: 60, errorText: "self-signed", code: 220, reply: "220 go", isMessageSent: false,
                kind: .certificate),
            .temporaryFailure(code: nil, text: "self-signed", retryable: false)
        ),
    ])
    func `the report of libcurl determines the outcome`(report: MailReport, outcome: MailOutcome) {
        #expect(attempt.outcome(report) == outcome)
    }

    @Test func `addresses and credentials are removed from a reply`() {
        let reply = "550 <ANNA@Example.org> from study@example.org as Mailer with S3CRET\u{1b}[2J ü"

        #expect(
            attempt.redacted(reply)
                == "550 <(recipient)> from (sender) as (user) with (password)?[2J ??")
    }
}
