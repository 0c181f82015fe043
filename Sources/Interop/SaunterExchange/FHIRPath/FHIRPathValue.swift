import SaunterCore

/// The value of a part of a FHIRPath expression.
enum FHIRPathValue: Sendable, Hashable {
    /// The QuestionnaireResponse.
    case response
    /// The direct children of an item; nil is the response itself.
    case children(of: Item?)
    /// The items at all levels, with or without those under answers.
    case descendants(throughAnswers: Bool)
    /// One item.
    case item(Item)
    /// The `answer` elements of an item.
    case answers(Item)
    /// The values of the answers of an item, or the codes of these values.
    case answerValues(Item, isCode: Bool)
    case text(String)
    case number(String)
    /// A translated expression.
    case expression(String)
    /// A translated expression that is true or false for all answers, never blank.
    case neverBlank(String)

    var isNeverBlank: Bool {
        if case .neverBlank = self { return true }
        return false
    }
}
