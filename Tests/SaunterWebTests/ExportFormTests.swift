import SaunterCore
import Testing

@testable import SaunterWeb

/// The form that requests a dataset.
@Suite struct ExportFormTests {
    private static let sent = ExportForm(fields: [
        "profile": "coded", "from": "2026-11-01", "to": "", "questionnaires.who_5": "on",
        "questionnaires.maas": "on", "formats.stata": "on", "arms.A": "on", "other": "x",
    ])

    @Test func `the body has what was chosen and nothing else`() {
        #expect(
            Self.sent.body == [
                "profile": "coded", "from": "2026-11-01", "questionnaires": ["maas", "who_5"],
                "arms": ["A"], "formats": ["stata"],
            ])
        #expect(ExportForm(fields: [:]).body == .object([:]))
    }

    @Test func `the address of the page keeps all values`() throws {
        let address = Self.sent.address("/staff/rest/exports")

        #expect(
            address
                == "/staff/rest/exports?profile=coded&from=2026-11-01&questionnaires=maas%2Cwho_5&arms=A&formats=stata"
        )
        var values: [String: String] = [:]
        for pair in try #require(address.split(separator: "?").last).split(separator: "&") {
            let halves = pair.split(separator: "=").map(String.init)
            values[halves[0]] = halves[1].replacing("%2C", with: ",")
        }
        let read = ExportForm(query: { values[$0] })
        #expect(read == Self.sent)
        #expect(ExportForm(fields: [:]).address("/staff/rest/exports") == "/staff/rest/exports")
    }

    @Test func `only dates, questionnaires and arms make the dataset a part of the study`() {
        #expect(Self.sent.isPart)
        #expect(!ExportForm(fields: ["profile": "coded", "formats.excel": "on"]).isPart)
        #expect(ExportForm(fields: [:]).isEmpty)
    }

    @Test(arguments: [(0, "0 B"), (999, "999 B"), (1000, "1 kB"), (1_840_000, "1.8 MB")])
    func `a size is in the largest unit`(bytes: Int, text: String) throws {
        let words = try #require(try Words(WebFiles(folder: nil)).languages.first)
        #expect(ExportView.size(bytes, words) == text)
    }

    @Test(
        arguments: [
            (0, "0"), (9999, "9999"), (10_000, "10\u{202f}000"), (123_456, "123\u{202f}456"),
            (1_079_187, "1\u{202f}079\u{202f}187"),
        ])
    func `a large count has its thousands in groups`(count: Int, text: String) {
        #expect(ExportView.grouped(count) == text)
    }
}
