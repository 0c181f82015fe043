import Testing

@testable import SaunterPacks

@Suite struct ConsequencesTests {
    private static let folder = "instruments/daily_evening/1.0.0/"

    /// After each of these something could not be read.
    static let form = [
        Change("questionnaire.yaml", "minutes: 2", "minutes: two"),
        Change("questionnaire.yaml", "24h", "a day"),
        Change("questionnaire.yaml", "linkId: mood, type: choice", "linkId: mood, type: choise"),
        Change("questionnaire.yaml", "linkId: stress, type: choice", "linkId: stress, type: choise"),
        Change("questionnaire.yaml", "{linkId: energy, type", "{linkID: energy, type"),
        Change("questionnaire.yaml", "[1, 2, 3, 4, 5]", "[1, 2, [3], 4, 5]"),
        Change("questionnaire.yaml", "      - health", "      - [health]"),
        Change("questionnaire.yaml", "answer: 4", "answer: [4]"),
        Change("questionnaire.yaml", "minValue: 0", "minValue: none"),
        Change("questionnaire.yaml", "maxLength: 2000", "maxLength: long"),
        Change("text.de.yaml", "  mood: Wie war Ihre Stimmung heute?", "  mood: 5"),
        Change("text.de.yaml", "title: Ihr", "titel: Ihr"),
        Change("text.de.yaml", "items:", "items: none\nrest:"),
        Change("text.en.yaml", "    money: money", "    money: [money]"),
        Change("scoring.yaml", "method: value", "method: valu"),
    ]

    /// All can be read, but it cannot mean anything.
    static let meaning = [
        Change(
            "questionnaire.yaml", "{linkId: note, type: text,", "{linkId: note, type: text, minLength: 3000,"),
        Change("questionnaire.yaml", "maxValue: 1080", "maxValue: -1"),
        Change("questionnaire.yaml", "question: stress,", "question: later,"),
        Change("questionnaire.yaml", "linkId: pausing", "linkId: presence"),
        Change(
            "questionnaire.yaml", "copyright:",
            "constraint: [{key: c, expression: \"note > 3\"}]\ncopyright:"),
        Change("text.de.yaml", "  note: Gibt", "  noted: Gibt"),
        Change("text.en.yaml", "    health: health", "    healthy: health"),
        Change("scoring.yaml", "reverse: [stress]", "reverse: [note]"),
        Change("scoring.yaml", "maximum: 6", "maximum: 5"),
    ]

    @Test(arguments: form, meaning)
    func `what could not be read adds no fault to those that each has alone`(form: Change, meaning: Change)
        throws
    {
        let alone = try Self.faults([form]) + Self.faults([meaning])

        let both = try Self.faults([form, meaning])

        #expect(try !Self.faults([form]).isEmpty && !Self.faults([meaning]).isEmpty)
        #expect(Set(both).subtracting(alone).isEmpty, "\(both)")
        #expect(both.count >= 1)
    }

    @Test(arguments: [
        (form[0], meaning[0]), (form[0], meaning[2]), (form[1], meaning[7]), (form[2], meaning[0]),
        (form[2], meaning[2]), (form[4], meaning[4]), (form[8], meaning[0]), (form[9], meaning[1]),
        (form[10], meaning[5]), (form[10], meaning[6]), (form[11], meaning[1]), (form[12], meaning[8]),
        (form[13], meaning[1]), (form[14], meaning[0]), (form[9], meaning[8]),
    ])
    func `faults of form and of meaning are told in one run`(form: Change, meaning: Change) throws {
        let both = try Self.faults([form, meaning])

        #expect(Set(both) == Set(try Self.faults([form]) + Self.faults([meaning])))
    }

    @Test func `a study is judged beside what is wrong with an instrument and a text`() throws {
        let files = try RealPacks.study()
            .replacing("minutes: 4", with: "minutes: many", in: "instruments/maas/1.0.0/questionnaire.yaml")
            .replacing("days: 35", with: "days: 0", in: "studies/mindful-walking/study.yaml")
            .setting("studies/mindful-walking/content/consent.de.md", nil)

        let faults = #expect(throws: PackFaults.self) { try StudyPack.read(files, study: "mindful-walking") }

        let told = faults?.list.map { "\($0.file.split(separator: "/").last ?? ""):\($0.line)" }
        #expect(told?.contains("questionnaire.yaml:5") == true && told?.contains("consent.de.md:1") == true)
        #expect(told?.contains("study.yaml:9") == true)
        #expect(faults?.list.contains { $0.message.contains("maas") } == false)
    }

    /// Files and words; lines are left out, for some changes add one.
    private static func faults(_ changes: [Change]) throws -> [String] {
        var files = try RealPacks.instrument("daily_evening")
        for change in changes {
            files = try files.replacing(change.passage, with: change.other, in: folder + change.file)
        }
        do throws(PackFaults) {
            _ = try InstrumentPack.check(files, code: "daily_evening", version: "1.0.0")
            return []
        } catch {
            return error.list.map { "\($0.file.dropFirst(folder.count)) \($0.message)" }
        }
    }
}
