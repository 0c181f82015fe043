import SaunterCore
import Testing

@testable import SaunterReminders

@Suite struct MailMessageTests {
    private func message(
        from: String = "study@example.org", fromName: String? = nil, to: String = "anna@example.org",
        subject: String = "Hello", messageID: String = "1@example.org", headers: [MailMessage.Header] = []
    ) throws(MailFault) -> MailMessage {
        try MailMessage(
            from: from, fromName: fromName, to: to, subject: subject, text: "Hello\n", messageID: messageID,
            date: Instant(milliseconds: 0), headers: headers)
    }

    @Test(arguments: ["\r\n", "\n", "\r", "\0", "\u{7f}", "\u{85}", "\u{1b}"])
    func `a header value with a line end or a control character is rejected`(character: String) {
        let text = "Hello\(character)Bcc: everybody@example.org"

        #expect(throws: MailFault.unsafeHeader(name: "Subject")) { try message(subject: text) }
        #expect(throws: MailFault.unsafeHeader(name: "From")) { try message(fromName: text) }
        #expect(throws: MailFault.unsafeHeader(name: "From")) { try message(from: "a@b\(character)") }
        #expect(throws: MailFault.unsafeHeader(name: "To")) { try message(to: "a\(character)@b") }
        #expect(throws: MailFault.unsafeHeader(name: "Message-ID")) {
            try message(messageID: "1@b\(character)")
        }
        #expect(throws: MailFault.unsafeHeader(name: "X-Test")) {
            try message(headers: [.init("X-Test", text)])
        }
        #expect(throws: MailFault.badHeaderName("X\(character)Y")) {
            try message(headers: [.init("X\(character)Y", "1")])
        }
    }

    @Test(arguments: [
        "", "anna", "@example.org", "anna@", "a@b@c", "anna bell@example.org", "<anna@example.org>",
        "\"a\"@example.org",
        "anna@example.org>", "anna@example.org,bob@example.org", "anna@exa mple.org", "anna@[127.0.0.1]",
        "ünal@example.org", "anna@exämple.org", ".anna@example.org", "anna.@example.org", "anna@example..org",
        "anna@-example.org", "anna@example.org SIZE=1", String(repeating: "a", count: 65) + "@example.org",
    ])
    func `an invalid address is rejected`(address: String) {
        #expect(throws: MailFault.badAddress(header: "To")) { try message(to: address) }
        #expect(throws: MailFault.badAddress(header: "From")) { try message(from: address) }
    }

    @Test(arguments: ["Subject", "subject", "BCC", "Content-Type", "Date", "", "X Y", "X:Y", "Ü"])
    func `reserved headers and invalid header names are rejected`(name: String) {
        #expect(throws: MailFault.badHeaderName(name)) { try message(headers: [.init(name, "x")]) }
    }

    @Test func `a repeated header is rejected`() {
        #expect(throws: MailFault.badHeaderName("x-a")) {
            try message(headers: [.init("X-A", "1"), .init("x-a", "2")])
        }
    }

    @Test func `a plain message is rendered as documented`() throws {
        let text = String(decoding: try message().rendered(), as: UTF8.self)

        let lines = [
            "Date: Thu, 01 Jan 1970 00:00:00 +0000", "From: <study@example.org>", "To: <anna@example.org>",
            "Subject: Hello", "Message-ID: <1@example.org>", "MIME-Version: 1.0",
            "Content-Type: text/plain; charset=utf-8", "Content-Transfer-Encoding: quoted-printable", "",
            "Hello", "",
        ]
        #expect(text == lines.joined(separator: "\r\n"))
    }

    @Test(arguments: [
        (0, "Thu, 01 Jan 1970 00:00:00 +0000"), (1_795_248_000_000, "Sat, 21 Nov 2026 08:00:00 +0000"),
        (951_868_799_999, "Tue, 29 Feb 2000 23:59:59 +0000"), (-1, "Wed, 31 Dec 1969 23:59:59 +0000"),
        (-62_135_596_800_000, "Mon, 01 Jan 0001 00:00:00 +0000"),
        (253_402_300_799_999, "Fri, 31 Dec 9999 23:59:59 +0000"),
    ])
    func `a date is rendered as in RFC 5322`(milliseconds: Int, text: String) {
        #expect(MailMessage.dateText(Instant(milliseconds: Int64(milliseconds))) == text)
    }

    @Test(arguments: [
        "", "a", "\n", "a\n\nb", "a\r\nb\rc\n", "..\n.\n", "é=\t \n ", String(repeating: "é.", count: 200),
        String(repeating: "a", count: 75) + ".\n", String(repeating: "a", count: 76) + " \n",
    ])
    func `lines of a quoted-printable body are short and do not begin with a dot`(text: String) {
        let output = String(decoding: MailText.quotedPrintable(text), as: UTF8.self)

        for line in output.split(separator: "\r\n", omittingEmptySubsequences: false) {
            #expect(
                line.utf8.count <= 76 && !line.hasPrefix(".") && !line.hasSuffix(" ") && !line.hasSuffix("\t")
            )
        }
        #expect(output.isEmpty || output.hasSuffix("\r\n"))
    }

    @Test func `an encoded word has at most 75 characters`() {
        for length in 1..<200 {
            let words = MailText.encodedWords(String(repeating: "🚶", count: length)).split(separator: "\r\n ")
            #expect(words.allSatisfy { $0.utf8.count <= 75 })
        }
    }
}
