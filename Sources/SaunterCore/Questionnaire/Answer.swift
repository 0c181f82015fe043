/// What was answered to one item, already of the item's type.
package enum Answer: Sendable, Hashable {
    case boolean(Bool)
    case integer(Int)
    case decimal(Double)
    /// For items of type string and text.
    case text(String)
    case date(LocalDate)
    case time(LocalTime)
    case dateTime(Instant)
    /// One option of a choice item.
    case option(OptionValue)
    /// The chosen options of a repeating choice item, in the questionnaire's order; never empty.
    case options([OptionValue])
    /// Own words in place of an option of an open choice.
    case words(String)
    /// The chosen options of a repeating open choice, in the questionnaire's order, and own words beside them.
    case optionsAndWords([OptionValue], String)
    case quantity(Measure)
    case ranking(Ranking)
    /// The values of a repeating question that is no choice, in order; never empty.
    case list([Answer])
    /// The instances of a repeating group, in order; never empty.
    case instances([GroupInstance])
}

extension Answer {
    /// Its values one by one: each chosen option, own words, each value of a list; else the answer itself.
    package var values: [Answer] {
        switch self {
        case .options(let options): options.map { .option($0) }
        case .optionsAndWords(let options, let words): options.map { .option($0) } + [.words(words)]
        case .list(let answers): answers
        default: [self]
        }
    }

    /// The options that it names.
    package var chosenOptions: [OptionValue] {
        values.compactMap { value in
            if case .option(let option) = value { option } else { nil }
        }
    }
}

/// A number with its UCUM unit.
package struct Measure: Sendable, Hashable {
    package var value: Double
    package var unit: String

    package init(value: Double, unit: String) {
        self.value = value
        self.unit = unit
    }
}

/// The answers of one instance of a repeating group.
package struct GroupInstance: Sendable, Hashable {
    /// The state of every question of the group, by linkId.
    package let states: [String: AnswerState]
    /// linkIds in the questionnaire's order.
    package let questions: [String]

    package init(states: [String: AnswerState], questions: [String]) {
        self.states = states
        self.questions = questions
    }
}

/// Why an item has no value. Raw values are the dataset's number codes (`dataset.md`, "Missing").
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

    /// The text code of the dataset.
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
        }
    }
}

/// The state of one item on an answer sheet: every blank has its reason.
package enum AnswerState: Sendable, Hashable {
    case answered(Answer)
    case missing(MissingReason)
}
