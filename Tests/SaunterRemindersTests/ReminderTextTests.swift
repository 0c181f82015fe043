import Testing

@testable import SaunterReminders

@Suite struct ReminderTextTests {
    @Test func `placeholders stand for their values`() {
        let text = ReminderText.fill(
            "Hello {{name}}, {{ count }} due:\n{{titles}}",
            ["name": "Ada", "count": "2", "titles": "- A\n- B"])

        #expect(text == "Hello Ada, 2 due:\n- A\n- B")
    }

    @Test func `a value that looks like a placeholder stays as it is`() {
        #expect(ReminderText.fill("{{name}} {{url}}", ["name": "{{url}}", "url": "u"]) == "{{url}} u")
    }

    @Test(arguments: [("{{unknown}}", "{{unknown}}"), ("{{open", "{{open"), ("}} {{", "}} {{"), ("", "")])
    func `what is no known placeholder is left alone`(template: String, expected: String) {
        #expect(ReminderText.fill(template, ["name": "Ada"]) == expected)
    }

    @Test func `a subject is one line, whatever names hold`() {
        #expect(ReminderText.line("Dear Eve\r\nBcc: x\u{85}y\u{7F}") == "Dear Eve  Bcc: x y ")
        #expect(ReminderText.line("Für Zoë: 👩🏽‍🔬") == "Für Zoë: 👩🏽‍🔬")
    }

    @Test func `a reset mail carries its code in both languages`() {
        for language in [nil, "en", "de", "de-AT"] {
            let words = ReminderText.passwordReset(
                code: "c0de", language: language, url: "https://example.org")
            #expect(words.body.contains("c0de"))
            #expect(words.subject.contains("Passwort") == (language?.hasPrefix("de") ?? false))
        }
    }
}
