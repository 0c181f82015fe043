import Foundation
import SaunterCore
import Testing

@testable import SaunterPacks

/// `programmes.yaml`, its words and `recommendations.yaml` of a library.
struct ProgrammeParserTests {
    private static let folder = "studies/mindful-walking/library/"
    private static let png = PackFiles.encoded(
        Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 1, 2, 3]))
    private static let files = [
        "programmes.yaml": """
        programmes:
          - code: control
            picture: media/control.png
            authors: [Epictetus, Marcus Aurelius]
            modules: [morning, news]
          - code: old_one
            modules: [news]
            withdrawn: true

        """,
        "programmes.en.yaml": """
        control: {title: Control, subtitle: What is yours, introduction: "*Some* things"}
        old_one: {title: 1984}

        """,
        "programmes.de.yaml": """
        control: {title: Kontrolle, subtitle: Was dir gehört, introduction: Einiges}
        old_one: {title: Alt}

        """,
        "recommendations.yaml": """
        table: [morning, control]
        rules:
          - {recommend: [news, control], when: "sheets > 2"}
        models:
          - {of: news, version: "2026-11", kind: logistic, intercept: -0.4, terms: {sheets: 1.2, often: -0.05}}
        order: [rules, table, models]

        """,
        "media/control.png": png,
    ]

    /// A study with the practices `morning` and `news`, and `evening`, which is not a practice.
    private static func study() throws -> Study {
        var study = try StudyPack.read(RealPacks.study(), study: "mindful-walking").study
        for code in ["morning", "news", "evening"] {
            var questionnaire = try #require(study.questionnaires.first)
            questionnaire.code = code
            study.questionnaires.append(questionnaire)
            study.anyTime.append(AnyTimeRule(questionnaire: code, isPractice: code != "evening"))
        }
        study.variables.append(
            TailoringVariable(
                id: "sheets", kind: .count, source: .entry(.init(["morning"]))))
        study.variables.append(TailoringVariable(id: "often", kind: .expression("sheets > 5")))
        study.variables.append(TailoringVariable(id: "words", kind: .expression("'a'")))
        return study
    }

    private static func read(
        _ files: [String: String], isPublished: Bool = false
    ) throws -> (library: Library, faults: [String]) {
        let pack = PackFiles(
            files: Dictionary(uniqueKeysWithValues: files.map { (folder + $0.key, $0.value) }))
        var parser = LibraryParser(files: pack, study: try study(), isPublished: isPublished)
        let library = parser.library()
        return (
            library,
            parser.faults.sorted().map { "\($0.file.dropFirst(folder.count)):\($0.line): \($0.message)" }
        )
    }

    @Test func `programmes keep the order of the file, with picture, authors, modules and words`() throws {
        let (library, faults) = try Self.read(Self.files)

        #expect(faults.isEmpty)
        #expect(library.collections.isEmpty)
        #expect(library.programmes.map(\.code) == ["control", "old_one"])
        let control = try #require(library.programme("control"))
        #expect(control.picture?.format == .png)
        #expect(control.authors == ["Epictetus", "Marcus Aurelius"])
        #expect(control.modules == ["morning", "news"])
        #expect(!control.isWithdrawn)
        #expect(
            control.words(in: "en")
                == ProgrammeText(
                    title: "Control", subtitle: "What is yours", introduction: "*Some* things"))
        #expect(control.words(in: "fr").title == "Kontrolle")
        #expect(library.programme("old_one")?.isWithdrawn == true)
        #expect(library.programme("old_one")?.words(in: "en") == ProgrammeText(title: "1984"))
        #expect(library.media.map(\.digest) == [control.picture?.digest])
    }

    @Test func `recommendations have a table, rules and models`() throws {
        let recommendations = try #require(try Self.read(Self.files).library.recommendations)

        #expect(recommendations.table == ["morning", "control"])
        #expect(recommendations.rules == [.init(recommended: ["news", "control"], condition: "sheets > 2")])
        #expect(
            recommendations.models == [
                .init(
                    of: "news", version: "2026-11", intercept: -0.4, terms: ["sheets": 1.2, "often": -0.05])
            ])
        #expect(recommendations.order == [.rules, .table, .models])
        #expect(recommendations.variables == ["often", "sheets"])
        #expect(recommendations.codes == ["news", "control", "morning"])
    }

    @Test(arguments: [
        (
            "programmes.yaml", "[morning, news]", "[morning, evening]",
            "programmes.yaml:5: control: evening is not a practice; any_time needs it with practice: true"
        ),
        (
            "programmes.yaml", "[morning, news]", "[morning, nws]",
            "programmes.yaml:5: control: the study has no questionnaire nws"
        ),
        (
            "programmes.yaml", "[morning, news]", "[news, news]",
            "programmes.yaml:5: control: the module news occurs twice"
        ),
        (
            "programmes.yaml", "[morning, news]", "[]",
            "programmes.yaml:5: control: a programme needs at least one module"
        ),
        (
            "programmes.yaml", "old_one", "control",
            "programmes.yaml:6: another programme has the code control"
        ),
        (
            "programmes.yaml", "code: old_one", "code: news",
            "programmes.yaml:6: the practice news has the same code"
        ),
        (
            "programmes.yaml", "media/control.png", "media/other.png",
            "programmes.yaml:3: there is no file media/other.png in library/media/"
        ),
        (
            "media/control.png", "", "data:;base64,PHN2Zz48L3N2Zz4=",
            "programmes.yaml:3: media/control.png is not a PNG, JPEG or WebP picture"
        ),
        (
            "programmes.en.yaml", "title: Control, ", "",
            "programmes.en.yaml:1: \"title\" is missing"
        ),
        (
            "programmes.en.yaml", "old_one: {title: 1984}", "",
            "programmes.yaml:6: old_one: the words in the language en are missing"
        ),
        (
            "programmes.en.yaml", "subtitle: What is yours, ", "",
            "programmes.yaml:2: control: subtitle in the language en is missing"
        ),
        ("programmes.de.yaml", "old_one", "new_one", "programmes.de.yaml:2: there is no programme new_one"),
        (
            "programmes.en.yaml", "*Some* things", "<b>Some</b> things",
            "programmes.en.yaml:1: HTML is not possible in Markdown"
        ),
        (
            "recommendations.yaml", "table: [morning", "table: [morni",
            "recommendations.yaml:1: there is no practice and no programme morni"
        ),
        (
            "recommendations.yaml", "[news, control]", "[unknown]",
            "recommendations.yaml:3: there is no practice and no programme unknown"
        ),
        (
            "recommendations.yaml", "sheets > 2", "sheet > 2",
            "recommendations.yaml:3: At character 1: there is no variable sheet."
        ),
        (
            "recommendations.yaml", "sheets > 2", "sheets",
            "recommendations.yaml:3: At character 1: this is a number, not true or false."
        ),
        (
            "recommendations.yaml", "{sheets: 1.2", "{shets: 1.2",
            "recommendations.yaml:5: shets: there is no variable shets"
        ),
        (
            "recommendations.yaml", "{sheets: 1.2", "{words: 1.2",
            "recommendations.yaml:5: words: this is a text; a term is a number, or true or false"
        ),
        (
            "recommendations.yaml", "kind: logistic", "kind: linear",
            "recommendations.yaml:5: expected one of logistic, found \"linear\""
        ),
        (
            "recommendations.yaml", "[rules, table, models]", "[rules, rules]",
            "recommendations.yaml:6: the order names a source twice"
        ),
    ])
    func `each fault names its file and line`(
        _ file: String, _ old: String, _ new: String, _ message: String
    ) throws {
        var files = Self.files
        files[file] = old.isEmpty ? new : files[file]?.replacing(old, with: new)

        let (_, faults) = try Self.read(files)

        #expect(faults.contains { $0.hasPrefix(message) }, "\(faults)")
    }

    @Test func `all faults of all files are reported at once`() throws {
        var files = Self.files
        files["programmes.yaml"] = files["programmes.yaml"]?.replacing("[morning, news]", with: "[evening]")
        files["programmes.de.yaml"] = nil
        files["recommendations.yaml"] = "table: [nothing]\nrules: [{recommend: [news], when: gone}]\n"

        let (_, faults) = try Self.read(files)

        #expect(faults.count == 4, "\(faults)")
    }

    @Test func `an edition can be read for a version without its practices, variables and languages`() throws
    {
        var files = Self.files
        files["programmes.yaml"] = files["programmes.yaml"]?.replacing("news]", with: "gone]")
        files["programmes.fr.yaml"] = "control: {title: Contrôle}\n"
        files["programmes.de.yaml"] = nil
        files["recommendations.yaml"] = """
            table: [gone]
            rules: [{recommend: [gone], when: "gone_too > 1"}]
            models: [{of: gone, version: "1", kind: logistic, intercept: 0, terms: {gone_too: 1}}]
            """

        let (library, faults) = try Self.read(files, isPublished: true)

        #expect(faults.isEmpty, "\(faults)")
        #expect(library.programme("control")?.modules == ["morning", "gone"])
        #expect(library.programme("control")?.words(in: "fr").title == "Contrôle")
        #expect(library.recommendations?.models.first?.terms == ["gone_too": 1])
    }

    @Test func `no programmes are an empty list`() throws {
        let (library, faults) = try Self.read([
            "programmes.yaml": "programmes: []\n", "programmes.en.yaml": "{}\n", "programmes.de.yaml": "{}\n",
        ])

        #expect(faults.isEmpty, "\(faults)")
        #expect(library.programmes.isEmpty)
    }
}
