@testable import SaunterCore

/// Builders of small questionnaires with neutral texts.
enum QuestionnaireSamples {
    static func item(_ linkId: String, _ type: ItemType, _ change: (inout Item) -> Void = { _ in }) -> Item {
        var item = Item(linkId: linkId, type: type)
        change(&item)
        return item
    }

    /// A choice whose options are whole numbers.
    static func rating(_ linkId: String, _ range: ClosedRange<Int>, required: Bool = false) -> Item {
        item(linkId, .choice) {
            $0.answerOption = range.map { ResponseOption(value: .integer($0)) }
            $0.required = required
        }
    }

    static func choice(_ linkId: String, _ codes: [String], repeats: Bool = false, exclusive: [String] = [])
        -> Item
    {
        item(linkId, .choice) {
            $0.answerOption = codes.map {
                ResponseOption(value: .code($0), exclusive: exclusive.contains($0))
            }
            $0.repeats = repeats
        }
    }

    static func when(_ question: String, _ comparison: Condition.Comparison, _ answer: Answer) -> Condition {
        Condition(question: question, comparison: comparison, answer: answer)
    }

    /// A questionnaire with all texts.
    static func questionnaire(
        _ items: [Item], scoring: ScoringKey? = nil, languages: [String] = ["en"], code: String = "sample"
    ) -> Questionnaire {
        Questionnaire(
            code: code, version: "1.0.0", item: items,
            text: Dictionary(uniqueKeysWithValues: languages.map { ($0, words(items, scoring, $0)) }),
            languages: languages, scoring: scoring)
    }

    static func words(_ items: [Item], _ scoring: ScoringKey?, _ language: String) -> QuestionnaireText {
        var text = QuestionnaireText(title: "Title \(language)", items: [:], options: [:])
        func add(_ items: [Item]) {
            for item in items {
                text.items[item.linkId] = "Words of \(item.linkId)"
                if item.type.hasOptions {
                    text.options[item.linkId] = Dictionary(
                        item.answerOption.map { ($0.value.text, "Label \($0.value.text)") },
                        uniquingKeysWith: { $1 })
                }
                add(item.item)
            }
        }
        add(items)
        for scale in scoring?.scales ?? [] {
            text.scales[scale.id] = "Scale \(scale.id)"
            if !scale.bands.isEmpty {
                text.bands[scale.id] = Dictionary(
                    scale.bands.map { ($0.id, "Band \($0.id)") }, uniquingKeysWith: { $1 })
            }
        }
        return text
    }

    /// Items q1…qn with one scale over them.
    static func ratings(_ count: Int, _ range: ClosedRange<Int>, _ scale: (inout Scale) -> Void)
        -> Questionnaire
    {
        let items = (1...count).map { rating("q\($0)", range) }
        var score = Scale(id: "score", items: items.map(\.linkId), method: .sum)
        scale(&score)
        return questionnaire(items, scoring: ScoringKey(version: "1.0.0", scales: [score]))
    }

    /// Answers to q1…qn in order; nil is a blank.
    static func answers(_ values: [Int?]) -> JSONObject {
        JSONObject(
            values.enumerated().map {
                JSONObject.Member(name: "q\($0 + 1)", value: $1.map(JSON.int) ?? .null)
            })
    }

    /// One item of every type, with two levels of conditions.
    static let everyType = questionnaire([
        item("truth", .boolean),
        item("whole", .integer) { ($0.minValue, $0.maxValue) = (-5, 5) },
        item("real", .decimal) { ($0.minValue, $0.maxValue, $0.maxDecimalPlaces) = (0, 100, 2) },
        item("line", .string) { ($0.minLength, $0.maxLength) = (2, 5) },
        item("note", .text),
        item("day", .date), item("clock", .time), item("moment", .dateTime),
        rating("rate", 0...4),
        choice("place", ["wood", "field", "town"]),
        choice("seen", ["bird", "deer", "none"], repeats: true, exclusive: ["none"]),
        item("more", .group) {
            $0.enableWhen = [when("truth", .equal, .boolean(true))]
            $0.item = [
                item("hint", .display), rating("inner", 1...3),
                item("deep", .string) { $0.enableWhen = [when("inner", .atLeast, .option(.integer(2)))] },
            ]
        },
    ])
}

/// SplitMix64: the same random numbers in every run.
struct QuestionnaireRandom: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
