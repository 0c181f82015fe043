import SaunterCore
import Testing

@testable import SaunterCohort

@Suite struct AnswerMakerTests {
    private static func item(_ linkId: String, _ type: ItemType, _ change: (inout Item) -> Void) -> Item {
        var item = Item(linkId: linkId, type: type)
        item.required = true
        change(&item)
        return item
    }

    private static let bounded = [
        item("tenths", .decimal) {
            ($0.minValue, $0.maxValue, $0.step, $0.maxDecimalPlaces) = (0.1, 0.9, 0.1, 1)
        },
        item("pounds", .integer) { $0.minValue = 50 },
        item("frost", .decimal) { $0.maxValue = -40 },
        item("odd", .integer) { ($0.minValue, $0.maxValue, $0.step) = (1, 10, 4) },
        item("long", .text) { $0.minLength = 200 },
        item("short", .string) { $0.maxLength = 5 },
        item("exact", .string) { ($0.minLength, $0.maxLength) = (40, 45) },
        item("postcode", .string) { ($0.regex, $0.maxLength) = (#"[A-Z]{1,2}\d{3,}( [a-z]+)?"#, 8) },
        item("initials", .string) { ($0.regex, $0.minLength) = (#"(\p{L}\.)+"#, 7) },
        item("lines", .string) { ($0.repeats, $0.minOccurs, $0.required) = (true, 3, false) },
        item("boxes", .choice) {
            ($0.repeats, $0.minOccurs, $0.maxOccurs) = (true, 3, 3)
            $0.answerOption = (0...4).map { ResponseOption(value: .integer($0)) }
        },
        item("single_box", .choice) {
            ($0.repeats, $0.maxOccurs) = (true, 1)
            $0.answerOption = (0...4).map { ResponseOption(value: .integer($0)) }
        },
        item("few_boxes", .choice) {
            ($0.repeats, $0.minOccurs) = (true, 2)
            var far = ResponseOption(value: .code("far"))
            far.enableWhen = [Condition(question: "pounds", comparison: .less, answer: .integer(0))]
            $0.answerOption = [
                ResponseOption(value: .code("near")), far,
                ResponseOption(value: .code("none"), exclusive: true),
            ]
        },
        item("born", .date) { $0.maxValue = 10_000 },
        item("soon", .date) { $0.minValue = 30_000 },
        item("seen", .dateTime) { $0.minValue = 1_800_000_000_000 },
        item("supper", .time) { ($0.minValue, $0.maxValue) = (61_200, 72_000) },
        item("own", .openChoice) {
            var option = ResponseOption(value: .code("none"))
            option.enableWhen = [Condition(question: "pounds", comparison: .less, answer: .integer(0))]
            $0.answerOption = [option]
        },
    ]

    @Test func `made-up answers are within the bounds of their items`() throws {
        let questionnaire = Questionnaire(
            code: "bounded", version: "1.0.0", item: Self.bounded,
            text: ["en": QuestionnaireText(title: "Bounded", items: [:], options: [:])], languages: ["en"])
        let index = QuestionnaireIndex(questionnaire)
        let published = questionnaire.json(language: "en")
        for seed in UInt64(0)..<200 {
            let answers = AnswerMaker.answers(
                to: published, by: Person(index: 0, seed: seed), day: 0, today: LocalDate(days: 20_000),
                isTreated: false, model: AnswerModel(try SimulationSample.study([], days: 1)),
                numbers: SeededNumbers(seed: seed))

            // Throws if an answer is invalid.
            let sheet = try AnswerSheet(answers: answers, of: index, today: LocalDate(days: 20_000))

            #expect(sheet.cleared.isEmpty)
            #expect(Set(answers.names).isSuperset(of: Self.bounded.filter(\.required).map(\.linkId)))
        }
    }

    /// Four choices and a slider. The options of q2 have descending weights, and q3 and the slider are reversed.
    private static let scale: Questionnaire = {
        let items = (1...4).map { number in
            item("q\(number)", .choice) { item in
                item.answerOption = (0...4).map {
                    ResponseOption(
                        value: .integer($0), weight: number == 2 ? Double(4 - $0) : Double($0))
                }
            }
        }
        let slider = item("q5", .decimal) { ($0.minValue, $0.maxValue, $0.step) = (0, 4, 0.1) }
        let first = Scale(id: "part", items: ["q3", "q5"], method: .sum, minimum: 0, maximum: 8)
        let total = Scale(
            id: "total", items: ["q1", "q2", "part", "q4"], reverse: ["part"], method: .sum)
        return Questionnaire(
            code: "strain", version: "1.0.0", item: items + [slider],
            text: ["en": QuestionnaireText(title: "Strain", items: [:], options: [:])], languages: ["en"],
            scoring: ScoringKey(version: "1.0.0", scales: [first, total]))
    }()

    /// The values of q1 to q5 in the direction of the total, for one participant.
    private static func keyed(_ person: Int, day: Int, isTreated: Bool, _ model: AnswerModel) throws
        -> [Double]
    {
        let answers = AnswerMaker.answers(
            to: scale.json(language: "en"), by: Person(index: person, seed: 1), day: day,
            today: LocalDate(days: 20_000), isTreated: isTreated, model: model,
            numbers: SeededNumbers(seed: UInt64(person * 100 + day)))
        let values = (1...5).map { answers["q\($0)"]?.double ?? .nan }
        return [values[0], 4 - values[1], 4 - values[2], values[3], 4 - values[4]]
    }

    /// - Parameter direction: of the total.
    private static func model(_ direction: ChangeRule.Direction? = nil) throws -> AnswerModel {
        var scale = scale
        scale.scoring?.scales[1].direction = direction
        var study = try SimulationSample.study(
            [], days: 28, arms: [Arm(code: "training", ratio: 1), Arm(code: "waiting", ratio: 1)])
        study.questionnaires = [scale]
        return AnswerModel(study)
    }

    @Test func `items of a scale agree with each other after reversal`() throws {
        let model = try Self.model()
        let rows = try (0..<200).map { try Self.keyed($0, day: 0, isTreated: false, model) }

        func covariance(_ left: Int, _ right: Int) -> Double {
            let means = (0..<5).map { item in rows.reduce(0) { $0 + $1[item] } / 200 }
            return rows.reduce(0) { $0 + ($1[left] - means[left]) * ($1[right] - means[right]) } / 199
        }
        let pairs = (0..<5).flatMap { left in (0..<left).map { (left, $0) } }
        let between = pairs.map { covariance($0.0, $0.1) }
        let own = (0..<5).reduce(0) { $0 + covariance($1, $1) }
        let sum = own + 2 * between.reduce(0, +)

        #expect(between.allSatisfy { $0 > 0 })
        let alpha = 5.0 / 4 * (1 - own / sum)
        #expect(alpha > 0.6 && alpha < 0.98)
    }

    @Test func `the total states in which direction its items improve`() throws {
        let definition = Self.scale.json(language: "en")
        let lower = try Self.model(.lowerIsBetter).directions(of: definition)
        let higher = try Self.model(.higherIsBetter).directions(of: definition)

        #expect(lower == ["q1": 1, "q2": -1, "q3": -1, "q4": 1, "q5": -1])
        #expect(higher == lower.mapValues { -$0 })
        #expect(try Self.model().directions(of: definition) == lower)
    }

    @Test func `scores fall more in the treated arm than in the other one`() throws {
        let model = try Self.model()
        #expect(model.treatedArm == "training")
        func fall(_ isTreated: Bool) throws -> Double {
            try (0..<200).reduce(0) { sum, person in
                let before = try Self.keyed(person, day: 0, isTreated: isTreated, model).reduce(0, +)
                let after = try Self.keyed(person, day: 28, isTreated: isTreated, model).reduce(0, +)
                return sum + (before - after) / 200
            }
        }

        let (treated, untreated) = (try fall(true), try fall(false))

        #expect(untreated < 1.5)
        #expect(treated - untreated > 1 && treated - untreated < 4)
    }
}
