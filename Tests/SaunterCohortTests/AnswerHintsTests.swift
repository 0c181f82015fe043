import SaunterCore
import Testing

@testable import SaunterCohort

@Suite struct AnswerHintsTests {
    /// A rating, and a choice with hints; and a place that needs consent.
    private static let questionnaire: Questionnaire = {
        var rating = Item(linkId: "rating", type: .integer)
        (rating.minValue, rating.maxValue, rating.itemControl, rating.required) = (0, 10, .slider, true)
        var feelings = Item(linkId: "feelings", type: .choice)
        (feelings.repeats, feelings.minOccurs, feelings.required) = (true, 1, true)
        feelings.answerOption = ["low", "middle", "high"].map { ResponseOption(value: .code($0)) }
        var place = Item(linkId: "place", type: .location)
        place.dataKind = "location"
        return Questionnaire(
            code: "moment", version: "1.0.0", item: [rating, feelings, place],
            text: ["en": QuestionnaireText(title: "Moment", items: [:], options: [:])], languages: ["en"])
    }()

    private static let hints: [String: JSON] = [
        "feelings": ["near": "rating", "options": ["low": 2, "middle": 5, "high": 9]]
    ]

    private func answers(_ index: Int, day: Int, permitted: Set<String> = []) throws -> JSONObject {
        let hints = try AnswerHints(root: nil, items: Self.hints)
        return AnswerMaker.answers(
            to: Self.questionnaire.json(language: "en"), by: Person(index: index, seed: 1), day: day,
            today: LocalDate(days: 20_000 + day), permitted: permitted, isTreated: false,
            model: AnswerModel(try SimulationSample.study([], days: 1), hints: ["moment": hints]),
            numbers: SeededNumbers(seed: UInt64(index * 1000 + day)))
    }

    @Test func `options are chosen near the number that the pack states`() throws {
        var ratings: [String: [Double]] = [:]
        for index in 0..<20 {
            for day in 0..<40 {
                let answers = try answers(index, day: day)
                for option in answers["feelings"]?.array ?? [] {
                    ratings[option.string ?? "", default: []].append(answers["rating"]?.double ?? .nan)
                }
            }
        }
        func mean(_ option: String) throws -> Double {
            let own = try #require(ratings[option])
            return own.reduce(0, +) / Double(own.count)
        }

        #expect(try mean("low") + 1 < mean("middle"))
        #expect(try mean("middle") + 1 < mean("high"))
    }

    @Test func `ratings differ between days and participants`() throws {
        let all = try (0..<20).map { index in
            try (0..<40).map { try answers(index, day: $0)["rating"]?.double ?? .nan }
        }

        #expect(Set(all.flatMap { $0 }).count > 7)
        #expect(all.allSatisfy { Set($0).count > 2 })
        let means = all.map { $0.reduce(0, +) / 40 }
        #expect((means.max() ?? 0) - (means.min() ?? 0) > 2)
    }

    @Test func `a place is sent only with permission`() throws {
        let without = try answers(0, day: 0)
        let with = try answers(0, day: 0, permitted: ["location"])

        #expect(without["place"] == nil)
        // Near the participant's home town, Berlin.
        #expect(abs((with["place"]?["lat"]?.double ?? 0) - 52.52) < 0.2)
        #expect(abs((with["place"]?["lon"]?.double ?? 0) - 13.41) < 0.2)
    }

    @Test(
        arguments: [
            ["near": "rating"], ["options": ["low": 2]], ["near": 3, "options": ["low": 2]],
            ["near": "rating", "options": ["low": "two"]],
            ["near": "rating", "options": ["low": 2], "other": 1],
        ] as [JSON])
    func `hints of an item that cannot be read are a fault`(member: JSON) {
        #expect(throws: AnswerHintFault(linkId: "feelings")) {
            try AnswerHints(root: nil, items: ["feelings": member])
        }
    }

    @Test(arguments: [["entries_per_day": "two"], ["a_day": 2], [:]] as [JSON])
    func `hints of a questionnaire that cannot be read are a fault`(member: JSON) {
        #expect(throws: AnswerHintFault(linkId: nil)) { try AnswerHints(root: member, items: [:]) }
    }
}
