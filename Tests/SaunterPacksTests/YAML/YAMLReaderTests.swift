import Testing

@testable import SaunterPacks

@Suite struct YAMLReaderTests {
    private func faults(_ text: String) -> [String] {
        let log = FaultLog(file: "f")
        _ = YAMLReader.read(text, log: log)
        return log.faults.map(\.description)
    }

    @Test(arguments: [
        ("", "f:1: the file is empty"),
        (
            "a: 1\n---\nb: 2\n",
            "f:2: expected a single document in the stream of line 1: but found another document"
        ),
        ("\u{FEFF}a: 1", "f:1: begins with a byte order mark"),
        ("a: \"\\0\"", "f:1: the character U+0000 cannot be stored"),
        ("a:\n  b: \u{1}\n", "f:2: control characters are not allowed"),
        ("? [a]\n: 1\n", "f:1: a key must be a single word"),
        ("a: 1\nb: *x\n", "f:2: found undefined alias"),
        ("a: {b: 1, c: 2,\n b: 3}", "f:1: \"b\": given more than once in one mapping"),
        ("a: !secret b", "f:1: tags (words that begin with \"!\") are not used in packs"),
    ])
    func `YAML features that packs do not use are rejected`(text: String, fault: String) {
        #expect(faults(text) == [fault])
    }

    @Test func `anchors that would expand the text exponentially are rejected before the expansion`() {
        var text = "a: &a [x, x, x, x, x, x, x, x, x]\n"
        for (name, last) in zip("bcdefghijklmnop", "abcdefghijklmno") {
            text += "\(name): &\(name) [\(Array(repeating: "*\(last)", count: 9).joined(separator: ", "))]\n"
        }

        #expect(
            faults(text) == ["f:1: anchors are not used in packs; put a space after \"&\" or write \"and\""])
    }

    @Test(arguments: ["\"a\":&x 1", "[&x a]", "- &x a", "'&x'", "a: &1 b", "{\"a\":&x [1], b: *x}"])
    func `an anchor is rejected next to any quoting`(text: String) {
        #expect(faults(text).first?.contains("anchors are not used") == true)
    }

    @Test(arguments: ["a: R&D", "a: Q & A", "a: this &", "a: \"M&M's\""])
    func `an ampersand within or between words is a text`(text: String) {
        #expect(faults(text) == [])
    }

    @Test func `the depth is limited to 32 levels, and a hostile depth does not stop the process`() {
        func nested(_ levels: Int) -> String {
            String(repeating: "[", count: levels) + String(repeating: "]", count: levels)
        }

        #expect(faults(nested(32)) == [])
        #expect(faults(nested(33)) == ["f:1: nested deeper than 32 levels"])
        #expect(faults(nested(900)) == ["f:1: nested deeper than 32 levels"])
        #expect(!faults(nested(400_000)).isEmpty)
        #expect(!faults(String(repeating: "- ", count: 300_000) + "a").isEmpty)
        #expect(!faults(String(repeating: "{\"]\":[", count: 100_000)).isEmpty)
    }

    @Test func `size and number of values are limited`() {
        #expect(faults(String(repeating: "#", count: (1 << 20) + 1)) == ["f:1: larger than 1 MiB"])
        #expect(
            faults(String(repeating: "- a\n", count: 200_000)) == [
                "f:200000: more than 200000 values in one file"
            ])
    }

    @Test(arguments: [
        ("5", YAMLScalar.Kind.integer), ("-5", .integer), ("+5", .integer), ("5.5", .decimal),
        ("1e3", .decimal),
        ("true", .boolean), ("no", .text), ("17:00", .text), ("0x10", .text), ("1_000", .text),
        ("inf", .text), ("nan", .text),
        (".inf", .text), ("", .nothing), ("~", .nothing), ("-", .text), ("1.0.0", .text), ("٣", .text),
    ])
    func `unquoted values get their type from their spelling`(word: String, kind: YAMLScalar.Kind) {
        #expect(YAMLScalar(text: word, isPlain: true).kind == kind)
        #expect(YAMLScalar(text: word, isPlain: false).kind == .text)
    }

    @Test(arguments: [
        ("2d", 172_800), ("5h", 18_000), ("30m", 1800), ("45s", 45), ("1h30m", 5400), ("0m", 0),
        ("1d1h1m1s", 90_061),
        ("3653d", 3653 * 86_400),
    ])
    func `durations have units`(text: String, seconds: Int) {
        let log = FaultLog(file: "f")

        #expect(YAMLReader.read(text, log: log)?.duration(log) == seconds)
        #expect(log.faults == [])
    }

    @Test(arguments: [
        "5", "h", "5 h", "5H", "1h1h", "1m1h", "-5h", "1.5h", "3654d", "99999999999999999999d", "5h3", "[5h]",
    ])
    func `invalid durations are rejected`(text: String) {
        let log = FaultLog(file: "f")

        #expect(YAMLReader.read(text, log: log)?.duration(log) == nil)
        #expect(log.faults.count == 1)
    }
}
