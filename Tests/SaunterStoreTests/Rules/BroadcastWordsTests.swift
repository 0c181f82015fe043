import SaunterCore
import Testing

@testable import SaunterStore

@Suite struct BroadcastWordsTests {
    private static func words(_ languages: [String], first: String?) -> BroadcastWords {
        BroadcastWords(
            languages.map { BroadcastWords.Text(language: $0, subject: "Subject \($0)", body: "Body \($0)") },
            first: first)
    }

    private static let cases: [([String], String?, String, String)] = [
        // The own language, also without its region.
        (["fr", "en", "de"], "en", "de", "de"), (["fr", "de"], "en", "de-AT", "de"),
        (["de", "de-AT"], "en", "de-AT", "de-AT"),
        // The study's first language.
        (["de", "fr", "en"], "en", "pl", "en"),
        // The first language of the request.
        (["fr", "de"], "en", "pl", "fr"), (["fr", "de"], nil, "pl", "fr"),
    ]

    @Test(arguments: cases)
    func
        `a participant whose language is missing gets the first language of the study, or else of the request`(
            languages: [String], first: String?, participant: String, expected: String
        )
    {
        let words = Self.words(languages, first: first)

        #expect(words.text(for: participant)?.subject == "Subject \(expected)")
        // What is stored has the same order.
        #expect(BroadcastWords(json: words.json) == words)
    }

    @Test func `there is no text without words`() {
        #expect(Self.words([], first: "en").text(for: "en") == nil)
    }
}
