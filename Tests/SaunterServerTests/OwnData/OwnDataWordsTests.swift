import SaunterCore
import SaunterStore
import Testing

@testable import SaunterServer

@Suite struct OwnDataWordsTests {
    @Test(arguments: ["en", "de"])
    func `every word, file and missing reason has a text`(language: String) {
        let words = OwnDataWords(language: language)
        #expect(Set(words.words.keys) == Set(OwnDataWords.Word.allCases))
        #expect(Set(words.contents.keys) == Set(OwnDataExport.files))
        for reason in MissingReason.allCases {
            #expect(words.missing(reason) != reason.code || reason == .withdrawn)
        }
        #expect(Set(words.members.keys) == Set(OwnDataWords.english.members.keys))
    }

    @Test(arguments: [("de", "de"), ("de-AT", "de"), ("en", "en"), ("fr", "en"), ("DE", "de")])
    func `participants with another language get English`(language: String, shown: String) {
        #expect(OwnDataWords(language: language).language == shown)
    }
}
