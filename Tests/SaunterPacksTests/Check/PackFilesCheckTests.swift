import Foundation
import SaunterCore
import Testing

@testable import SaunterPacks

/// The check of files that are not on disk.
@Suite struct PackFilesCheckTests {
    @Test func `files in memory have the same report as the folder on disk`() throws {
        let disk = PackCheck.run(paths: [RealPacks.root.appending(path: "studies/mindful-walking").path])

        let memory = PackCheck.run(try RealPacks.study(), study: "mindful-walking")

        #expect(memory == disk)
        #expect(memory.vectorCount == 73)
    }

    @Test func `test vectors are run, and a fault has its file and line`() throws {
        let files = try RealPacks.study().replacing(
            "all highest,5,5,5,5,5,100", with: "all highest,5,5,5,5,5,25",
            in: "instruments/who_5/1.0.0/vectors.csv")

        let report = PackCheck.run(files, study: "mindful-walking")

        #expect(
            report.faults == [
                PackFault(
                    file: "instruments/who_5/1.0.0/vectors.csv", line: 3,
                    message: "case \"all highest\": score.wellbeing is 100, expected 25 ± 1e-9")
            ])
    }

    @Test func `all faults of study, schedule and instrument are reported at once`() throws {
        let files = try WorkedExample.files()
            .replacing("days: 14", with: "days: many", in: "studies/day-mood/study.yaml")
            .replacing("open: \"17:00\"", with: "open: \"five\"", in: "studies/day-mood/schedule.yaml")
            .replacing(
                "maxLength: 500", with: "maxLength: many", in: "instruments/day_mood/1.0.0/questionnaire.yaml"
            )

        let report = PackCheck.run(files, study: "day-mood")

        #expect(
            Set(report.faults.map(\.file)) == [
                "studies/day-mood/study.yaml", "studies/day-mood/schedule.yaml",
                "instruments/day_mood/1.0.0/questionnaire.yaml",
            ])
        #expect(report.faults.allSatisfy { $0.line > 1 })
    }

    @Test func `an instrument that the study does not use is a hint`() throws {
        var files = try WorkedExample.files().files
        for (path, text) in try RealPacks.instrument("who_5").files { files[path] = text }

        let report = PackCheck.run(PackFiles(files: files), study: "day-mood")

        #expect(report.faults == [])
        #expect(report.hints.map(\.file) == ["instruments/who_5/1.0.0/questionnaire.yaml"])
        #expect(report.instrumentCount == 1)
    }

    @Test func `a study without any file has a fault`() {
        #expect(!PackCheck.run(PackFiles(files: [:]), study: "day-mood").faults.isEmpty)
    }

    @Test(arguments: ["en", "de", "fr", "de-CH"], [1, 14, 3660])
    func `a new study has no fault with any values`(language: String, days: Int) throws {
        for title in ["Sleep", "Ruhe: \"gut\" & 'tief' # 1", "null", "17:00"] {
            let values = NewStudyValues(
                study: "a-study-with-a-very-long-code-of-forty-c", title: title, language: language,
                zone: Zone("Europe/Zurich")!, days: days)

            let report = PackCheck.run(PackFiles(files: try values.files()), study: values.study)

            #expect(report.faults.map(\.description) == [])
            #expect(report.vectorCount == 4)
            let pack = try StudyPack.read(PackFiles(files: try values.files()), study: values.study)
            #expect(pack.study.text[language]?.title == title)
            #expect(pack.study.days == days && pack.study.zone.id == "Europe/Zurich")
            #expect(pack.study.questionnaires.map(\.code) == ["a_study_with_a_very_long"])
        }
    }

    @Test func `sizes are those on disk, and what cannot be stored is reported`() throws {
        let media = PackFiles.encoded(Data([1, 2, 3, 4]))
        let files = PackFiles(files: ["studies/a/media/x.png": media, "studies/a/README.md": "ü"])

        #expect(files.byteCount("studies/a/media/x.png") == 4)
        #expect(files.bytes("studies/a/media/x.png") == [1, 2, 3, 4])
        #expect(files.byteCount("studies/a/README.md") == 2)
        #expect(files.storageFaults == [])
        let zero = PackFiles(files: ["studies/a/README.md": "a\nb\u{0}"])
        #expect(zero.storageFaults.map(\.line) == [2])
        let many = PackFiles(
            files: Dictionary(uniqueKeysWithValues: (0...1000).map { ("studies/a/\($0)", "") }))
        #expect(many.storageFaults.map(\.message) == ["more than 1000 files"])
        let large = String(repeating: "x", count: 1 << 20)
        let heavy = PackFiles(
            files: Dictionary(uniqueKeysWithValues: (0...32).map { ("studies/a/\($0)", large) }))
        #expect(heavy.storageFaults.map(\.message) == ["the pack is larger than 32 MiB"])
    }

    @Test(arguments: [
        ("studies/a/study.yaml", true), ("studies/a/content/x/y.md", true),
        ("studies/a/media/Bild 1.png", true),
        ("instruments/who_5/1.0.0/text.de.yaml", true), ("studies/b/study.yaml", false), ("studies/a", false),
        ("studies/a/", false), ("study.yaml", false), ("/studies/a/x", false), ("studies/a/../b/x", false),
        ("studies/a/./x", false), ("studies/a/.git", false), ("studies//a/x", false),
        ("instruments/W/1.0.0/x", false),
        ("instruments/who_5/1.0/x", false), ("instruments/who_5/1.0.0", false), ("studies/a/x\\y", false),
        ("studies/a/x\ny", false), ("", false),
    ])
    func `a draft contains files of its study and of instruments only`(path: String, isPermitted: Bool) {
        #expect(PackPath.isFile(path, ofStudy: "a") == isPermitted)
    }
}
