import Testing

@testable import SaunterCore

@Suite struct StudySuccessionTests {
    private typealias Samples = QuestionnaireSamples

    private func study(_ change: (inout Study) -> Void = { _ in }) throws -> Study {
        var study = Sample.study([
            Sample.schedule(slots: [try Sample.slot("18:00", due: 2 * hour, close: 4 * hour)])
        ])
        change(&study)
        return study
    }

    @Test func `a changed consent text needs a new consent version`() throws {
        let earlier = try study()
        let language = try #require(earlier.text.keys.sorted().first)
        var later = try study { $0.text[language]?.consent += " And more." }

        let found = later.conflicts(with: earlier)

        #expect(
            found.count == 1 && found[0].contains("(\(language))") && found[0].contains("consent_version"))
        later.consentVersion += ".1"
        #expect(later.conflicts(with: earlier).isEmpty)
        #expect(earlier.conflicts(with: earlier).isEmpty)
        // An additional language does not change the text.
        var more = earlier
        more.text["fr"] = later.text[language]
        #expect(more.conflicts(with: earlier).isEmpty)
        #expect(earlier.conflicts(with: more).isEmpty)
    }

    @Test func `an item keeps its type in all versions, also inside a group`() throws {
        func studyWithItem(_ type: ItemType) throws -> Study {
            try study {
                $0.questionnaires[0].item.append(
                    Samples.item("frame", .group) { $0.item = [Samples.item("asked", type)] })
            }
        }

        #expect(try studyWithItem(.integer).conflicts(with: studyWithItem(.text)).count == 1)
        #expect(try studyWithItem(.text).conflicts(with: studyWithItem(.string)).isEmpty)
        #expect(try studyWithItem(.date).conflicts(with: studyWithItem(.dateTime)).count == 1)
        #expect(try studyWithItem(.integer).conflicts(with: study()).isEmpty)
        #expect(try study().conflicts(with: studyWithItem(.integer)).isEmpty)
    }
}
