/// What an item asks for. The raw values are FHIR R4's item types.
package enum ItemType: String, Sendable, Hashable, CaseIterable {
    case group, display, boolean, integer, decimal, string, text, date, dateTime, time, choice

    /// Whether an answer can be given; groups and displayed texts take none.
    package var isQuestion: Bool { self != .group && self != .display }
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

    package init(value: OptionValue, weight: Double? = nil, exclusive: Bool = false) {
        self.value = value
        self.weight = weight
        self.exclusive = exclusive
    }
}

/// How an item is best shown; advice to a client, no rule.
package enum ItemControl: String, Sendable, Hashable, CaseIterable {
    case radio = "radio-button", dropDown = "drop-down", slider, table, checkBox = "check-box", textBox =
        "text-box"
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
    /// Several answers may be given (choice items only).
    package var repeats = false
    package var readOnly = false
    package var hidden = false
    package var answerOption: [ResponseOption] = []
    /// Inclusive bounds of integer and decimal items.
    package var minValue: Double?
    package var maxValue: Double?
    /// Unicode scalars, for string and text items.
    package var minLength: Int?
    package var maxLength: Int?
    package var maxDecimalPlaces: Int?
    /// Distance between the values that a slider offers.
    package var step: Double?
    /// A UCUM unit, carried to the codebook.
    package var unit: String?
    package var itemControl: ItemControl?
    package var initial: Answer?
    package var enableWhen: [Condition] = []
    package var enableBehavior: EnableBehavior = .all
    /// Children of a group.
    package var item: [Item] = []

    package init(linkId: String, type: ItemType) {
        self.linkId = linkId
        self.type = type
    }
}
