import SaunterCore
import Testing

@testable import SaunterServer

@Suite struct InsightResponseTests {
    private static let study: Study = {
        let languages = ["en", "de"]
        var text: [String: StudyText] = [:]
        for language in languages {
            var words = StudyText(
                title: "S", summary: "", consent: "", course: [], reminderSubject: "", reminderBody: "")
            words.variables = ["v": VariableText(title: "v", text: "{{value}}")]
            text[language] = words
        }
        return Study(
            code: "s", version: "1.0.0", consentVersion: "1", openEnrolment: true, languages: languages,
            text: text, zone: .utc, days: 28, arms: [Arm(code: "a", ratio: 1)],
            allocation: Allocation(blockSizes: [1], isConcealed: false), schedules: [], questionnaires: [])
    }()

    @Test(arguments: [
        ("en", ExpressionValue.boolean(true), "yes"), ("de", .boolean(false), "nein"),
        ("en", .date(LocalDate(days: 20_783)), "November 26, 2026"),
        ("de", .date(LocalDate(days: 20_783)), "26. November 2026"),
        ("en", .text("calm"), "calm"),
    ])
    func `a sentence shows values as people write them`(
        _ language: String, _ value: ExpressionValue, _ words: String
    ) {
        let response = InsightResponse(Self.study, language: language)
        #expect(
            response.feedback(VariableValue(variable: "v", value: value, n: 1), nil)["text"] == .string(words)
        )
    }

    @Test func `an hour has a label, and a streak counts days`() throws {
        var study = Self.study
        study.variables = [
            TailoringVariable(
                id: "v", kind: .streak, source: .entry(.init(["log"])), shown: .participants)
        ]
        let value = VariableValue(
            variable: "v", n: 3,
            entries: [.init(key: "8", value: .text("a"), n: 2), .init(key: "17", value: .text("b"), n: 1)])
        let shape = VariableShape(key: .hour, value: .plain, isFreeText: false, hasValue: false)

        var writer = JSONWriter()
        InsightResponse(study, language: "de").write(value, shape, to: &writer)

        let json = try JSONReader.read(writer.bytes)
        #expect(json["unit"] == "d")
        #expect(json["entries"]?.array?.map { $0["label"] } == ["08:00", "17:00"])
    }
}
