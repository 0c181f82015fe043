import SaunterCore
import Testing

@testable import SaunterReminders

@Suite struct MailServerTests {
    @Test(arguments: [
        ("smtp://mail.example.org", "mail.example.org:25", MailServer.Security.startTLSOffered),
        ("smtp://mail.example.org:2525/", "mail.example.org:2525", .startTLSOffered),
        ("smtp://localhost", "localhost:25", .none), ("smtp://127.0.0.1:1025", "127.0.0.1:1025", .none),
        ("smtp://[::1]:1025", "[::1]:1025", .none),
        ("smtp://[2001:db8::1]", "[2001:db8::1]:25", .startTLSOffered),
        ("smtp://u:p@localhost", "localhost:25", .startTLSRequired),
        ("smtp://u:p@mail:587?starttls=never", "mail:587", .none),
        ("smtp://mail?starttls=required", "mail:25", .startTLSRequired),
        ("smtps://u:p@mail", "mail:465", .tls),
        ("smtp://mail?starttls=required&ca=/etc/ca.pem", "mail:25", .startTLSRequired),
    ])
    func `a URL is parsed into address and security`(
        url: String, summary: String, security: MailServer.Security
    ) throws {
        let server = try MailServer(url: url)

        #expect(server.summary == summary)
        #expect(server.security == security)
    }

    @Test func `user and password are percent-decoded`() throws {
        let server = try MailServer(url: "smtp://anna%40example.org:p%3Aw%2F%40%C3%BC:x@mail")

        #expect(server.credentials == .init(user: "anna@example.org", password: Secret("p:w/@ü:x")))
    }

    @Test(arguments: [
        "", "mail", "http://mail", "smtp:/mail", "smtp://", "smtp://:25", "smtp://mail:", "smtp://mail:0",
        "smtp://mail:65536", "smtp://mail:+25", "smtp://mail:x", "smtp://secret@mail", "smtp://secret:@mail",
        "smtp://:secret@mail", "smtp://u:secret%@mail", "smtp://u:secret%zz@mail", "smtp://u:secret%FF@mail",
        "smtp://u:secret%0d%0a@mail", "smtp://u:secret@mail#x", "smtp://u:sec ret@mail",
        "smtp://mail?starttls=maybe",
        "smtps://mail?starttls=never", "smtp://mail?ca=relative", "smtp://mail?tls=no", "smtp://ma il",
        "smtp://mäil",
        "smtp://mail/a%20b", "smtp://[::1", "smtp://::1", "smtp://-mail",
        "smtp://mail?starttls=never&starttls=never",
    ])
    func `an invalid URL is rejected with a one-line error that contains no secret`(url: String) {
        let fault = #expect(throws: MailFault.self) { try MailServer(url: url) }

        let line = fault?.description ?? ""
        #expect(line.hasPrefix("SAUNTER_SMTP_URL: ") && !line.contains("\n") && !line.contains("secret"))
    }
}
