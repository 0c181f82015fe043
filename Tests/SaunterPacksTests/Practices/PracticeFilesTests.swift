import SaunterCore
import Testing

@testable import SaunterPacks

/// The practices of a draft: read, changed and removed, without losing what a form cannot express.
@Suite struct PracticeFilesTests {
    private static let folder = "instruments/morning/1.0.0/"
    private static let study = """
        code: ego
        languages: [en, de]
        entitlements: [{code: premium}]
        questionnaires:
          - {code: mood, version: 2.0.0}
          - {code: morning, version: 1.0.0}   # ours
        any_time:
          - mood   # a diary
          - {questionnaire: morning, practice: true, max_per_day: 3}
        """ + "\n"
    private static let files = PackFiles(files: [
        "studies/ego/study.yaml": study,
        folder + "questionnaire.yaml": """
        # A practice
        code: morning
        version: 1.0.0
        languages: [en, de]
        minutes: 5.0   # about
        item:
          - {linkId: story, type: display, media: {type: image, source: media/tree.png}}
          - {linkId: thought, type: text, maxLength: 300}
          - {linkId: how, type: choice, answerOption: [1, 2]}
        """ + "\n",
        folder + "text.en.yaml": """
        title: Morning
        items: {story: Look out., thought: What is yours?, how: How was it?}   # words
        placeholders: {thought: Today I …}
        media: {story: A tree}
        options: {how: {1: Good, 2: Bad}}
        """ + "\n",
        folder + "text.de.yaml": "title: Morgen\nitems: {story: Schau., thought: Was?, how: Wie?}\n",
        folder + "media/tree.png": "data:;base64,AAAA",
    ])

    private static func read(_ files: PackFiles = files) throws -> PracticeFiles {
        try PracticeFiles(files, study: "ego")
    }

    private static func morning() throws -> Practice { try #require(try read().practice("morning")) }

    @Test func `a practice is read with its exercises`() throws {
        let files = try Self.read()
        let practice = try Self.morning()

        #expect(
            files.codes == ["morning"] && files.languages == ["en", "de"] && files.entitlements == ["premium"]
        )
        #expect(files.titles(of: "morning") == ["en": "Morning", "de": "Morgen"])
        #expect(try files.practice("mood") == nil, "a questionnaire that is no practice")
        #expect(practice.title == ["en": "Morning", "de": "Morgen"] && practice.minutes == 5)
        #expect(practice.exercises.map(\.kind) == [.story, .input, .other])
        #expect(practice.exercises[0].media == Media(kind: .image, source: "media/tree.png"))
        #expect(practice.exercises[0].mediaText == ["en": "A tree"])
        #expect(practice.exercises[1].placeholder == ["en": "Today I …"])
        #expect(practice.exercises[2].text == ["en": "How was it?", "de": "Wie?"])
    }

    @Test func `the same practice changes no byte`() throws {
        #expect(try Self.read().writing(Self.morning()) == Self.files)
    }

    @Test func `a corrected word changes one file, and comments stay`() throws {
        var practice = try Self.morning()
        practice.exercises[2].text["en"] = "How is it?"
        let written = try Self.read().writing(practice)

        let changed = written.files.filter { Self.files[$0.key] != $0.value }
        #expect(changed.keys.sorted() == [Self.folder + "text.en.yaml"])
        #expect(changed.values.first?.contains("how: \"How is it?\"}   # words") == true)
        #expect(changed.values.first?.contains("options: {how: {1: Good, 2: Bad}}") == true)
    }

    @Test func `exercises are added, ordered and removed, and definitions stay`() throws {
        var practice = try Self.morning()
        practice.exercises.reverse()
        practice.exercises.removeAll { $0.linkID == "story" }
        practice.exercises.append(
            .init(linkID: "end", kind: .story, type: "", text: ["en": "The end: now.", "de": "Ende"]))
        practice.entitlement = "premium"
        let written = try Self.read().writing(practice)
        let again = try #require(try Self.read(written).practice("morning"))

        #expect(again.exercises.map(\.linkID) == ["how", "thought", "end"])
        #expect(again.entitlement == "premium")
        let definition = try #require(written[Self.folder + "questionnaire.yaml"])
        #expect(definition.hasPrefix("# A practice\n") && definition.contains("maxLength: 300"))
        #expect(definition.contains("answerOption"))
        let words = try #require(written[Self.folder + "text.en.yaml"])
        #expect(!words.contains("Look out") && !words.contains("A tree") && words.contains("Today I"))
        #expect(written[Self.folder + "media/tree.png"] == nil)
        let study = try #require(written["studies/ego/study.yaml"])
        #expect(study.contains("- mood   # a diary\n"))
        #expect(
            study.contains(
                "{questionnaire: morning, practice: true, max_per_day: 3, entitlement: premium}"))
    }

    @Test func `a film replaces a picture, and a sound with an address elsewhere stays`() throws {
        var practice = try Self.morning()
        practice.exercises[0].media = Media(kind: .video, source: "media/story.mp4")
        practice.exercises[1].media = Media(kind: .audio, source: "https://example.org/a.mp3")
        practice.exercises[1].mediaText = ["en": "Rain"]
        let written = try Self.read().writing(practice)
        let again = try #require(try Self.read(written).practice("morning"))

        #expect(again == practice && again.exercises.map(\.kind) == [.story, .input, .other])
        #expect(written[Self.folder + "media/tree.png"] == nil)
        #expect(
            written[Self.folder + "questionnaire.yaml"]?.contains("type: video, source: media/story.mp4")
                == true)
        #expect(try Self.read(written).writing(again) == written)
    }

    @Test func `an exercise with media that cannot be read keeps its definition`() throws {
        var files = Self.files.files
        let path = Self.folder + "questionnaire.yaml"
        files[path] = files[path]?.replacing("type: image, source", with: "type: smell, source")
        let practice = try #require(try Self.read(PackFiles(files: files)).practice("morning"))

        #expect(practice.exercises[0].kind == .other && practice.exercises[0].media == nil)
        #expect(try Self.read(PackFiles(files: files)).writing(practice).files[path] == files[path])
    }

    @Test func `a new practice becomes an instrument, a reference and an entry`() throws {
        let practice = Practice(
            code: "evening", title: ["en": "Evening", "de": "Abend"], minutes: 3,
            exercises: [.init(linkID: "story", kind: .story, type: "", text: ["en": "Rest.", "de": "Ruh."])])
        let written = try Self.read().writing(practice)
        let files = try Self.read(written)
        var again = try #require(try files.practice("evening"))
        again.exercises[0].type = ""

        #expect(again == practice && files.codes == ["morning", "evening"])
        #expect(
            written["studies/ego/study.yaml"]?.contains("# ours\n  - {code: evening, version: 1.0.0}\n")
                == true)
        #expect(written["instruments/evening/1.0.0/SOURCE.md"] != nil)
    }

    @Test func `a removed practice leaves no file and no reference`() throws {
        let written = try Self.read().removing("morning")

        #expect(written.files.keys.sorted() == ["studies/ego/study.yaml"])
        #expect(
            written["studies/ego/study.yaml"]
                == Self.study.replacing("  - {code: morning, version: 1.0.0}   # ours\n", with: "")
                .replacing("  - {questionnaire: morning, practice: true, max_per_day: 3}\n", with: ""))
    }

    @Test func `a raised version moves the folder and its reference`() throws {
        let raise = try VersionRaise(Self.files, study: "ego")
        #expect(raise.references.map(\.code) == ["morning"], "files of mood are missing")
        let raised = try raise.raisingQuestionnaire(.init(code: "morning", from: "1.0.0", to: "1.0.1"))

        #expect(raised.files.keys.filter { $0.hasPrefix(Self.folder) }.isEmpty)
        #expect(raised.files.count == Self.files.files.count)
        let definition = raised["instruments/morning/1.0.1/questionnaire.yaml"]
        #expect(
            definition?.contains("version: 1.0.1\n") == true && definition?.hasPrefix("# A practice") == true)
        #expect(
            raised["studies/ego/study.yaml"]?.contains("- {code: morning, version: 1.0.1}   # ours\n") == true
        )
    }

    @Test(
        arguments: [
            ("1.0.0", "1.0.1"), ("2.13.9", "2.13.10"), ("1.0.99999", nil), ("1.0", nil), ("x", nil),
        ] as [(String, String?)])
    func `the next patch version`(version: String, next: String?) {
        #expect(VersionRaise.next(after: version) == next)
    }

    @Test func `the digest of a raise is that of a publication`() throws {
        let files = try RealPacks.study()
        let pack = try StudyPack.read(files, study: "mindful-walking")
        let raise = try VersionRaise(files, study: "mindful-walking")

        #expect(raise.digest == pack.digest && raise.version == pack.study.version)
        for reference in raise.references {
            #expect(reference.digest == pack.instrumentDigests[reference.code])
        }
    }
}
