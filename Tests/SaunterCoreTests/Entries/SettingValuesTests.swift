import Testing

@testable import SaunterCore

@Suite struct SettingValuesTests {
    private typealias Samples = QuestionnaireSamples

    private static let questionnaire = Samples.questionnaire([
        Samples.item("times", .time) {
            $0.repeats = true
            $0.initial = .list([.time(LocalTime("13:00")!), .time(LocalTime("21:00")!)])
        },
        Samples.item("many", .integer) { ($0.maxValue, $0.initial) = (12, .integer(3)) },
        Samples.item("name", .string),
    ])

    @Test func `before the first change the initial answers are in force`() {
        let settings = SettingValues(newest: nil, of: Self.questionnaire)

        #expect(settings.defaults == ["times": ["13:00", "21:00"], "many": 3])
        #expect(settings.values == settings.defaults)
    }

    @Test func `the newest sheet is in force, and an item left blank is absent`() throws {
        let sheet = try AnswerSheet(answers: ["many": 0, "name": "Ada"], of: Self.questionnaire)

        let settings = SettingValues(newest: sheet, of: Self.questionnaire)

        #expect(settings.values == ["many": 0, "name": "Ada"])
        #expect(settings.defaults["times"] == ["13:00", "21:00"])
    }

    @Test func `an item that the version of the sheet does not have gets its default`() throws {
        let earlier = Samples.questionnaire([Samples.item("many", .integer)])
        let sheet = try AnswerSheet(answers: ["many": 7], of: earlier)

        let settings = SettingValues(newest: sheet, of: Self.questionnaire)

        #expect(settings.values == ["times": ["13:00", "21:00"], "many": 7])
    }
}
