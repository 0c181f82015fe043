/// What an item asks for. The raw values are FHIR R4's item types, and `ranking`, which FHIR has not: its options are
/// brought into an order, at once or by comparing them pair by pair.
package enum ItemType: String, Sendable, Hashable, CaseIterable {
    case group, display, boolean, integer, decimal, string, text, date, dateTime, time, choice
    case openChoice = "open-choice"
    case quantity, ranking

    /// Whether an answer can be given; groups and displayed texts take none.
    package var isQuestion: Bool { self != .group && self != .display }

    /// Whether its items have options.
    package var hasOptions: Bool { self == .choice || self == .openChoice || self == .ranking }
}

/// The value of a response option: a number, as in most rating scales, or a code.
package enum OptionValue: Sendable, Hashable {
    case integer(Int)
    case code(String)
}

/// One permitted answer of a choice item.
package struct ResponseOption: Sendable, Hashable {
    package var value: OptionValue
    /// What the option counts in scoring, where that is not its own number.
    package var weight: Double?
    /// An option that excludes all others of a repeating item ("none of these").
    package var exclusive: Bool
    /// Conditions under which the option is offered; none = always.
    package var enableWhen: [Condition]
    package var enableBehavior: EnableBehavior

    package init(
        value: OptionValue, weight: Double? = nil, exclusive: Bool = false, enableWhen: [Condition] = [],
        enableBehavior: EnableBehavior = .all
    ) {
        self.value = value
        self.weight = weight
        self.exclusive = exclusive
        self.enableWhen = enableWhen
        self.enableBehavior = enableBehavior
    }
}

/// How an item is best shown; advice to a client, no rule.
package enum ItemControl: String, Sendable, Hashable, CaseIterable {
    case radio = "radio-button", dropDown = "drop-down", slider, table, checkBox = "check-box", textBox =
        "text-box"
    case visualAnalogueScale = "visual-analogue-scale", spinner, autocomplete, page, pairwise
}

/// One comparison of `enableWhen`: the answer of an earlier item against a value.
package struct Condition: Sendable, Hashable {
    package enum Comparison: String, Sendable, Hashable, CaseIterable {
        case exists, equal = "=", notEqual = "!=", greater = ">", less = "<", atLeast = ">=", atMost = "<="
    }

    /// The linkId of the item whose answer decides.
    package var question: String
    package var comparison: Comparison
    /// For `exists` a boolean, else a value of the question's type.
    package var answer: Answer

    package init(question: String, comparison: Comparison, answer: Answer) {
        self.question = question
        self.comparison = comparison
        self.answer = answer
    }
}

/// Whether all conditions or any of them must hold.
package enum EnableBehavior: String, Sendable, Hashable, CaseIterable {
    case all, any
}

/// One element of a questionnaire, under the names of FHIR R4. Its words stand in `QuestionnaireText`, keyed
/// by linkId.
package struct Item: Sendable, Hashable {
    /// Unique in its questionnaire; `[a-z][a-z0-9_]*`, at most 24 characters, so that it can be a column's
    /// name.
    package var linkId: String
    package var type: ItemType
    package var required = false
    /// Several answers may be given: several options of a choice, several values of another question, several
    /// instances of a group.
    package var repeats = false
    package var readOnly = false
    package var hidden = false
    package var answerOption: [ResponseOption] = []
    /// Inclusive bounds: of integer, decimal and quantity items numbers; of dates, times and moments the numbers that
    /// they are stored as (days and milliseconds since 1970, seconds since midnight).
    package var minValue: Double?
    package var maxValue: Double?
    /// Unicode scalars, for string and text items.
    package var minLength: Int?
    package var maxLength: Int?
    /// The form of a string or text, by the language of `Pattern`.
    package var regex: String?
    /// Least and greatest number of answers to a repeating item that is answered at all.
    package var minOccurs: Int?
    package var maxOccurs: Int?
    package var maxDecimalPlaces: Int?
    /// Distance between the values that a slider offers.
    package var step: Double?
    /// A UCUM unit, carried to the codebook.
    package var unit: String?
    /// The UCUM units among which the answer to a quantity is given, each once.
    package var unitOption: [String] = []
    /// The options of a question, or the children of a group, are shown in an order drawn by the client, which it
    /// records with the sheet.
    package var shuffle = false
    package var media: Media?
    package var itemControl: ItemControl?
    package var initial: Answer?
    package var enableWhen: [Condition] = []
    package var enableBehavior: EnableBehavior = .all
    /// Must hold as well for the item to be shown; blank counts as not holding. See `Expression`.
    package var enableWhenExpression: String?
    /// Children of a group.
    package var item: [Item] = []

    package init(linkId: String, type: ItemType) {
        self.linkId = linkId
        self.type = type
    }

    /// Whether a sheet has an answer under its name: a question, or a repeating group, whose answer is its instances.
    package var takesAnswer: Bool { type.isQuestion || isRepeatingGroup }

    /// Whether it is a group of which several instances may be filled in.
    package var isRepeatingGroup: Bool { type == .group && repeats }

    /// Whether the answer is a list of values, of a type that is no choice.
    package var isList: Bool { repeats && type.isQuestion && !type.hasOptions }
}

/// A picture, sound or film that belongs to an item, by reference; its words for those who cannot see or hear it stand
/// in `QuestionnaireText.media`.
package struct Media: Sendable, Hashable {
    package enum Kind: String, Sendable, Hashable, CaseIterable {
        case image, audio, video
    }

    package var kind: Kind
    /// An https address, or a path such as `media/walk.png` that the app brings with it.
    package var source: String

    package init(kind: Kind, source: String) {
        self.kind = kind
        self.source = source
    }
}
