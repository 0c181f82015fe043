import Testing

@testable import SaunterCore

@Suite struct SchemaStringsTests {
    @Test(arguments: [
        (StringFormat.line, "Ada"), (.line, "Zoë O'Néill-García 李"), (.line, " x "), (.line, "👩🏽‍🔬"),
        (StringFormat.email, "anna@example.org"), (.email, "a.b+c@sub.example.co.uk"),
        (.email, "o'neil/x=1@xn--bcher-kva.example"),
        (.uuid, "0193A1F0-7c1e-7d3a-9b52-6f0c1d2e3f40"), (.dateTime, "2026-11-21T08:00:00Z"),
        (.date, "2024-02-29"),
        (.time, "08:30"), (.zone, "Europe/Berlin"), (.language, "de"), (.language, "zh-Hant-TW"),
        (.uri, "https://example.org/a?b=c"), (.uri, "http://[::1]:8080"), (.code, "mindful-walking"),
        (.code, "0"), (.password, "correct horse battery"),
    ])
    func `the format accepts a text`(_ format: StringFormat, _ text: String) {
        #expect(format.accepts(text))
    }

    @Test(arguments: [
        (StringFormat.line, ""), (.line, "  "), (.line, "\u{A0}\u{2003}"), (.line, "\n"),
        (.line, "Eve\r\nBcc: x@y.z"), (.line, "Eve\u{85}"), (.line, "Eve\t"), (.line, "Eve\u{7F}"),
        (.line, "Eve\u{2028}x"), (.line, "Eve\0"),
        (StringFormat.email, ""), (.email, "a@b"), (.email, "a@@b.de"), (.email, "a@b.de\nBcc: c@d.de"),
        (.email, "a@b.de "), (.email, ".a@b.de"), (.email, "a@-b.de"), (.email, "a@b..de"),
        (.email, "<a@b.de>"), (.email, "ä@b.de"), (.email, "a@bücher.example"), (.email, "a..b@c.de"),
        (.email, "a b@c.de"),
        (.email, "a@b.de,c@d.de"), (.email, "a\u{2028}@b.de"),
        (.email, String(repeating: "a", count: 65) + "@b.de"),
        (.uuid, "{0193A1F0-7c1e-7d3a-9b52-6f0c1d2e3f4}"), (.uuid, "0193a1f07c1e7d3a9b526f0c1d2e3f40"),
        (.dateTime, "2026-11-21 08:00:00Z"), (.dateTime, "2026-11-21T08:00:60Z"), (.date, "2026-02-30"),
        (.time, "24:00"), (.time, "8:30"), (.zone, "CEST"), (.zone, "../../etc/passwd"),
        (.language, "german"),
        (.language, "d"), (.language, "de_DE"), (.uri, "javascript:alert(1)"), (.uri, "https://"),
        (.uri, "https://a b"), (.uri, "/relative"), (.code, "-a"), (.code, "A"), (.code, "a/b"), (.code, ""),
        (.code, String(repeating: "a", count: 65)), (.password, "password1"), (.password, "12345678"),
    ])
    func `the format rejects a text`(_ format: StringFormat, _ text: String) {
        #expect(!format.accepts(text))
    }
}
