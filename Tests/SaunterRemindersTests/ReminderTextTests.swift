import SaunterCore
import SaunterStore
import Testing

@testable import SaunterReminders

@Suite struct ReminderTextTests {
    @Test func `placeholders are replaced by their values`() {
        let text = TextTemplate.fill(
            "Hello {{name}}, {{ count }} due:\n{{titles}}",
            ["name": "Ada", "count": "2", "titles": "- A\n- B"])

        #expect(text == "Hello Ada, 2 due:\n- A\n- B")
    }

    @Test func `a placeholder inside a value is not replaced`() {
        #expect(TextTemplate.fill("{{name}} {{url}}", ["name": "{{url}}", "url": "u"]) == "{{url}} u")
    }

    @Test(arguments: [("{{unknown}}", "{{unknown}}"), ("{{open", "{{open"), ("}} {{", "}} {{"), ("", "")])
    func `an unknown or incomplete placeholder is not changed`(template: String, expected: String) {
        #expect(TextTemplate.fill(template, ["name": "Ada"]) == expected)
    }

    @Test func `a subject is one line even if a name contains a line end`() {
        #expect(ReminderText.singleLine("Dear Eve\r\nBcc: x\u{85}y\u{7F}") == "Dear Eve  Bcc: x y ")
        #expect(ReminderText.singleLine("Für Zoë: 👩🏽‍🔬") == "Für Zoë: 👩🏽‍🔬")
    }

    @Test(arguments: [
        ("de" as String?, "22:30"), ("en", "22:30"), ("de", "Dienstag, 12. Mai, 00:15"),
        ("en-GB", "Tuesday 12 May, 00:15"), ("fr", "2026-05-12 00:15"), (nil, "2026-05-12 00:15"),
    ])
    func `a closing time on another day includes the day`(_ language: String?, _ expected: String) throws {
        let zone = try #require(Zone("Europe/Berlin"))
        // The day is the participant's local day. In UTC, both instants are on the 11th.
        let sent = try #require(Instant("2026-05-11T20:00:00Z"))
        let closes = sent.adding(seconds: expected == "22:30" ? 1800 : 8100)

        #expect(ReminderText.closingTime(closes, sentAt: sent, zone: zone, language: language) == expected)
    }

    @Test(arguments: OutgoingMail.Kind.allCases)
    func `mails to an account are in German or English, and contain the code if there is one`(
        _ kind: OutgoingMail.Kind
    ) {
        let facts = AccountMailFacts([
            "code": "c0de", "study": "Slow Walks", "study_code": "slow-walks", "role": "coordinator",
        ])
        for language in [nil, "en", "de", "de-AT"] {
            let text = ReminderText.accountMail(kind, facts, language: language, url: "https://example.org")
            let hasCode = [.passwordReset, .emailVerification, .invitation].contains(kind)
            let namesStudy = [.alert, .invitation, .roleOffered, .roleDenied].contains(kind)
            #expect(text.body.contains("c0de") == hasCode)
            #expect(text.body.contains("Slow Walks") == namesStudy)
            #expect(text.body.contains("https://example.org"))
            #expect(
                text.body.contains(/Wenn Sie (das|nichts|im Team)|melden Sie/)
                    == (language?.hasPrefix("de") ?? false))
        }
    }

    @Test(
        arguments: [
            (OutgoingMail.Kind.invitation, "https://example.org/reset/code?code=c0de&next=/staff/slow-walks"),
            (.roleOffered, "https://example.org/login?next=/staff/slow-walks"),
        ])
    func `an invitation leads to the study, and names the role`(_ kind: OutgoingMail.Kind, link: String) {
        let facts = AccountMailFacts(["code": "c0de", "study_code": "slow-walks", "role": "coordinator"])
        for (language, role) in [("en", "as a coordinator."), ("de", "als Koordination.")] {
            let text = ReminderText.accountMail(kind, facts, language: language, url: "https://example.org")
            #expect(text.body.contains(link + "\n") && text.body.contains(role))
        }
    }
}
