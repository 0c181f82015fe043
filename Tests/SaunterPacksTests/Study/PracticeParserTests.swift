import Foundation
import SaunterCore
import Testing

@testable import SaunterPacks

/// Practices, and schedules that follow several questionnaires.
@Suite struct PracticeParserTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../Acceptance/packs/journeys").standardizedFileURL

    private static func files() throws -> PackFiles {
        try PackFiles.load(directory: root.appending(path: "studies/journeys").path)
    }

    @Test func `practices, anchors, programmes and recommendations of a pack are read`() throws {
        let pack = try StudyPack.read(try Self.files(), study: "journeys")

        #expect(pack.study.practices == ["control_morning", "control_news", "gratitude_first"])
        #expect(!pack.study.isPractice("mood_check") && !pack.study.isPractice("nothing"))
        #expect(
            pack.study.schedules.map(\.anchor) == [
                .completionOfPractice, .completionOfAny(["control_morning", "gratitude_first"]),
            ])
        #expect(pack.library.programmes.map(\.code) == ["control", "gratitude"])
        #expect(pack.library.recommendations?.models.count == 1)
        // A practice of stories only is a questionnaire without questions.
        #expect(pack.study.questionnaire("control_news")?.questions.isEmpty == true)
        #expect(
            pack.study.questionnaire("control_morning")?.text["en"]?.placeholders["thought"]
                == "Today I can decide …")
    }

    @Test(arguments: [
        ("{programme: all}", "schedule.yaml:4: expected any"),
        (
            "{programmes: any}",
            "schedule.yaml:4: expected a questionnaire, a list or {programme: …}, found a mapping"
        ),
        ("[]", "schedule.yaml:4: The list needs at least one questionnaire."),
        ("[control_news, control_new]", "schedule.yaml:4: The study has no questionnaire control_new."),
    ])
    func `a wrong anchor is reported with its line`(_ anchor: String, _ message: String) throws {
        let path = "studies/journeys/schedule.yaml"
        let text = try #require(try Self.files()[path])
        let files = try Self.files().setting(path, text.replacing("{programme: any}", with: anchor))

        let faults = #expect(throws: PackFaults.self) { try StudyPack.read(files, study: "journeys") }

        #expect(faults?.list.map { "\($0.file.dropFirst(17)):\($0.line): \($0.message)" } == [message])
    }

    @Test func `the check of a pack counts its programmes, and reports faults of the library`() throws {
        let files = try Self.files()
        let path = "studies/journeys/library/programmes.yaml"
        let broken = files.setting(
            path,
            try #require(files[path]).replacing("[control_morning, control_news]", with: "[onboarding, gone]")
        )

        let (report, faults) = (
            PackCheck.run(files, study: "journeys"), PackCheck.run(broken, study: "journeys").faults
        )

        #expect(report.faults == [])
        #expect(
            report.libraries.map(\.text) == [
                "journeys, library: practices in the programmes control 2, gratitude 2"
            ])
        #expect(faults.map { "\($0.file):\($0.line)" } == ["\(path):5", "\(path):5"])
    }
}
