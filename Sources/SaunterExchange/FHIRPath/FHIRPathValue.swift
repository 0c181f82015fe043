import SaunterCore

/// What a part of a path stands for.
enum FHIRPathValue: Sendable, Hashable {
    case response
    /// The items right under an item, or under the response itself.
    case children(of: Item?)
    /// The items of any level, those under answers too or not.
    case descendants(throughAnswers: Bool)
    case item(Item)
    case answers(Item)
    /// The values of the answers, or their codes.
    case answer(Item, isCode: Bool)
    case text(String)
    case number(String)
    /// In our own words.
    case expression(String)
    /// In our own words, and true or false whatever is answered.
    case certain(String)

    var isCertain: Bool {
        if case .certain = self { return true }
        return false
    }
}
