/// The answer to one item, converted to the item's type.
package enum Answer: Sendable, Hashable {
    case boolean(Bool)
    case integer(Int)
    case decimal(Double)
    /// The answer to an item of type string or text.
    case text(String)
    case date(LocalDate)
    case time(LocalTime)
    case dateTime(Instant)
    /// One option of a choice or open choice.
    case option(OptionValue)
    /// The chosen options of a repeating choice, in the questionnaire's order; never empty.
    case options([OptionValue])
    /// Free text instead of an option of an open choice.
    case freeText(String)
    /// The chosen options of a repeating open choice, in the questionnaire's order, and free text in addition. The
    /// options may be empty.
    case optionsAndFreeText([OptionValue], String)
    case quantity(Measure)
    case ranking(Ranking)
    case location(Location)
    /// The values of a compared list, ranked by comparisons.
    case comparedWords(ComparedWords)
    /// The values of a repeating question without options, in order; never empty.
    case list([Answer])
    /// The instances of a repeating group, in order; never empty.
    case instances([GroupInstance])
}

extension Answer {
    /// The single values: each chosen option, the free text, each value of a list; otherwise the answer itself.
    package var values: [Answer] {
        switch self {
        case .options(let options): options.map { .option($0) }
        case .optionsAndFreeText(let options, let freeText):
            options.map { .option($0) } + [.freeText(freeText)]
        case .list(let answers): answers
        case .comparedWords(let compared): compared.words.map { .text($0) }
        default: [self]
        }
    }

    /// The chosen options.
    package var chosenOptions: [OptionValue] {
        values.compactMap { value in
            if case .option(let option) = value { option } else { nil }
        }
    }
}

/// A number with its UCUM unit.
package struct Measure: Sendable, Hashable {
    /// The number.
    package var value: Double
    /// The UCUM unit.
    package var unit: String

    /// Creates a quantity without checking its unit.
    package init(value: Double, unit: String) {
        self.value = value
        self.unit = unit
    }
}

/// The answers in one instance of a repeating group.
package struct GroupInstance: Sendable, Hashable {
    /// The state of every question of the group, by linkId.
    package let states: [String: AnswerState]
    /// The linkIds of the group's questions, in the questionnaire's order.
    package let questions: [String]

    /// Creates an instance with a state for every question.
    package init(states: [String: AnswerState], questions: [String]) {
        self.states = states
        self.questions = questions
    }
}

/// Why an item has no value. The raw values are the number codes of the dataset (`meta/missing_codes.csv`).
package enum MissingReason: Int, Sendable, Hashable, CaseIterable {
    case notInVersion = -999
    case notShown = -998
    case notReached = -997
    case skipped = -996
    case refused = -995
    case dontKnow = -994
    case notApplicable = -993
    case invalid = -992
    case redacted = -991
    case withdrawn = -990
    case noConsent = -989

    /// The text code of the dataset and of the API.
    package var code: String {
        switch self {
        case .notInVersion: "not_in_version"
        case .notShown: "not_shown"
        case .notReached: "not_reached"
        case .skipped: "skipped"
        case .refused: "refused"
        case .dontKnow: "dont_know"
        case .notApplicable: "not_applicable"
        case .invalid: "invalid"
        case .redacted: "redacted"
        case .withdrawn: "withdrawn"
        case .noConsent: "no_consent"
        }
    }
}

/// The state of one item on an answer sheet: an answer, or the reason why there is none.
package enum AnswerState: Sendable, Hashable {
    case answered(Answer)
    case missing(MissingReason)
}

extension OptionValue {
    /// The value as text. It is the key of the option's label, and part of its column name in a wide table.
    package var text: String {
        switch self {
        case .integer(let value): String(value)
        case .code(let code): code
        }
    }

    /// The value as a JSON number or string.
    package var json: JSON {
        switch self {
        case .integer(let value): .int(value)
        case .code(let code): .string(code)
        }
    }
}

extension Answer {
    /// The wire form: a JSON scalar, or an array for a repeating item. Dates and times are strings; instants use RFC
    /// 3339 in UTC. The other forms are:
    /// - free text: `{"other": …}`
    /// - a quantity: `{"value": …, "unit": …}`
    /// - a ranking: its options, best first; or its comparisons, each in its submitted form
    /// - a location: `{"lat": …, "lon": …, "accuracy_m": …}`
    /// - compared words: `{"values": …, "comparisons": …}`
    /// - an instance of a repeating group: an object.
    package var json: JSON {
        switch self {
        case .boolean(let value): .bool(value)
        case .integer(let value): .int(value)
        case .decimal(let value): .double(value)
        case .text(let value): .string(value)
        case .date(let value): .string(value.description)
        case .time(let value): .string(value.description)
        case .dateTime(let value): .string(value.description)
        case .option(let value): value.json
        case .options(let values): .array(values.map(\.json))
        case .freeText(let freeText): ["other": .string(freeText)]
        case .optionsAndFreeText(let values, let freeText):
            .array(values.map(\.json) + [["other": .string(freeText)]])
        case .quantity(let measure): ["value": .double(measure.value), "unit": .string(measure.unit)]
        case .ranking(let ranking): ranking.json
        case .location(let location): location.json
        case .comparedWords(let compared): compared.json
        case .list(let answers): .array(answers.map(\.json))
        case .instances(let instances): .array(instances.map { .object($0.json) })
        }
    }
}

extension MissingReason {
    /// Parses a text code of the dataset. Returns nil for any other text.
    package init?(code: String) {
        guard let reason = Self.allCases.first(where: { $0.code == code }) else { return nil }
        self = reason
    }
}
