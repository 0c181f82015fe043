import SaunterCore
import Testing

@testable import SaunterPacks

/// The programmes of a draft: read with faults, and written with comments.
@Suite struct ProgrammeFilesTests {
    private static let folder = "studies/ego/library/"
    private static let files = PackFiles(files: [
        folder + "programmes.yaml": """
        # The journeys, in order
        programmes:
          - code: control   # the first one
            picture: media/control.png
            authors: [Epictetus]
            modules: [morning, evening]
          - {code: calm, modules: [], withdrawn: true, entitlement: premium}
        """ + "\n",
        folder + "programmes.en.yaml":
            "control: {title: Control, subtitle: What we can change}   # ours\ncalm: {title: Calm}\n",
        folder + "programmes.de.yaml": "control:\n  title: Kontrolle\n",
        folder + "media/control.png": "data:;base64,AAAA", "studies/ego/study.yaml": "code: ego\n",
    ])

    private static func read(_ files: PackFiles = files) throws -> ProgrammeFiles {
        try ProgrammeFiles(files, study: "ego", languages: ["en", "de"])
    }

    @Test func `programmes are read in order, with the words of all languages`() throws {
        let programmes = try Self.read().programmes

        #expect(programmes.map(\.code) == ["control", "calm"])
        #expect(programmes[0].words["en"] == .init(title: "Control", subtitle: "What we can change"))
        #expect(programmes[0].words["de"] == .init(title: "Kontrolle"))
        #expect(programmes[0].picture == "media/control.png" && programmes[0].authors == ["Epictetus"])
        #expect(programmes[0].modules == ["morning", "evening"] && !programmes[0].isWithdrawn)
        #expect(programmes[1].isWithdrawn && programmes[1].words["de"] == nil)
    }

    @Test func `the same programmes change no byte`() throws {
        let files = try Self.read()
        #expect(try files.writing(files.programmes) == Self.files)
    }

    @Test func `a changed word changes one line, and comments stay`() throws {
        let files = try Self.read()
        var programmes = files.programmes
        programmes[0].words["en"]?.subtitle = "What is ours"
        let written = try files.writing(programmes)

        #expect(
            written[Self.folder + "programmes.en.yaml"]
                == "control: {title: Control, subtitle: What is ours}   # ours\ncalm: {title: Calm}\n")
        #expect(written[Self.folder + "programmes.yaml"] == Self.files[Self.folder + "programmes.yaml"])
    }

    @Test func `another order is written, and unknown members of a programme stay`() throws {
        let files = try Self.read()
        var programmes = Array(files.programmes.reversed())
        programmes[1].modules.append("night")
        programmes.append(ProgrammeEntry(code: "new", words: ["de": .init(title: "Neu: hier")]))
        let written = try files.writing(programmes)
        let text = try #require(written[Self.folder + "programmes.yaml"])

        #expect(text.hasPrefix("# The journeys, in order\n") && text.contains("entitlement: premium"))
        #expect(text.contains("  - code: control   # the first one\n"))
        let again = try Self.read(written).programmes
        #expect(again.map(\.code) == ["calm", "control", "new"])
        #expect(again[1].modules == ["morning", "evening", "night"])
        #expect(again[2].words == ["de": .init(title: "Neu: hier")])
    }

    @Test func `a picture that no programme uses is removed, unless a collection names it`() throws {
        let files = try Self.read()
        var programmes = files.programmes
        programmes[0].picture = nil
        #expect(try files.writing(programmes)[Self.folder + "media/control.png"] == nil)

        var more = Self.files.files
        more[Self.folder + "guides.yaml"] = "items: [{id: a, picture: media/control.png}]\n"
        let shared = try Self.read(PackFiles(files: more))
        #expect(try shared.writing(programmes)[Self.folder + "media/control.png"] != nil)
    }

    @Test func `the first programme makes the files`() throws {
        let files = try Self.read(PackFiles(files: ["studies/ego/study.yaml": "code: ego\n"]))
        let first = ProgrammeEntry(code: "first", words: ["en": .init(title: "First")], modules: ["morning"])
        let written = try files.writing([first])

        #expect(try Self.read(written).programmes == [first])
        #expect(written[Self.folder + "programmes.de.yaml"] == "{}\n")
    }

    @Test func `a file that cannot be read is a fault with its line`() throws {
        let broken = PackFiles(files: [Self.folder + "programmes.yaml": "programmes:\n  - {code: a\n"])
        #expect(throws: PackFaults.self) { try Self.read(broken) }
        // Values of other types are faults of the check, not of this reader.
        let odd = PackFiles(files: [
            Self.folder + "programmes.yaml": "programmes: [1, {code: [x]}, {code: b, modules: no}]\n"
        ])
        #expect(try Self.read(odd).programmes.map(\.code) == ["b"])
    }
}
