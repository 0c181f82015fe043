import Testing

@testable import SaunterPacks

@Suite struct DependentFaultsTests {
    private static let folder = "instruments/daily_evening/1.0.0/"

    /// After each of these changes, a part cannot be read.
    static let unreadable = [
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

    /// After each of these changes, all parts can be read, but a rule is violated.
    static let violation = [
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

    @Test(arguments: unreadable, violation)
    func `an unreadable part causes no faults of other parts`(
        unreadable: Change, violation: Change
    )
        throws
    {
        let alone = try Self.faults([unreadable]) + Self.faults([violation])

        let both = try Self.faults([unreadable, violation])

        #expect(try !Self.faults([unreadable]).isEmpty && !Self.faults([violation]).isEmpty)
        #expect(Set(both).subtracting(alone).isEmpty, "\(both)")
        #expect(both.count >= 1)
    }

    @Test(arguments: [
        (unreadable[0], violation[0]), (unreadable[0], violation[2]), (unreadable[1], violation[7]),
        (unreadable[2], violation[0]), (unreadable[2], violation[2]), (unreadable[4], violation[4]),
        (unreadable[8], violation[0]), (unreadable[9], violation[1]), (unreadable[10], violation[5]),
        (unreadable[10], violation[6]), (unreadable[11], violation[1]), (unreadable[12], violation[8]),
        (unreadable[13], violation[1]), (unreadable[14], violation[0]), (unreadable[9], violation[8]),
    ])
    func `unreadable parts and violated rules are reported in one run`(unreadable: Change, violation: Change)
        throws
    {
        let both = try Self.faults([unreadable, violation])

        #expect(Set(both) == Set(try Self.faults([unreadable]) + Self.faults([violation])))
    }

    @Test func `a study is checked although an instrument and a text have faults`() throws {
        let files = try RealPacks.study()
            .replacing("minutes: 4", with: "minutes: many", in: "instruments/maas/1.0.0/questionnaire.yaml")
            .replacing("days: 35", with: "days: 0", in: "studies/mindful-walking/study.yaml")
            .setting("studies/mindful-walking/content/consent.de.md", nil)

        let faults = #expect(throws: PackFaults.self) { try StudyPack.read(files, study: "mindful-walking") }

        let positions = faults?.list.map { "\($0.file.split(separator: "/").last ?? ""):\($0.line)" }
        #expect(
            positions?.contains("questionnaire.yaml:5") == true
                && positions?.contains("consent.de.md:1") == true)
        #expect(positions?.contains("study.yaml:9") == true)
        #expect(faults?.list.contains { $0.message.contains("maas") } == false)
    }

    /// Files and messages, without lines, because some changes add a line.
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
