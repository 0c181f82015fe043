import SaunterCore

/// How simulated participants answer a questionnaire where its definition does not say enough: the members
/// `x-simulated` of `questionnaire.yaml`. They have no other effect.
package struct AnswerHints: Sendable, Hashable {
    /// The key of the members in `questionnaire.yaml`.
    package static let key = "x-simulated"

    /// A choice that depends on the number that was answered to an earlier item.
    struct Choice: Sendable, Hashable {
        /// The linkId of the earlier item.
        let near: String
        /// Option -> the number at which it is chosen most often.
        let numbers: [String: Double]
        /// The options that are chosen a quarter as often as others.
        let rare: Set<String>
    }

    /// The mean number of entries per day; nil if the pack does not state it.
    let entriesPerDay: Double?
    /// By linkId.
    let choices: [String: Choice]

    /// - Parameters:
    ///   - root: the member of the questionnaire: `{entries_per_day: 2.5}`; nil without one.
    ///   - items: linkId -> the member of the item: `{near: mood, options: {calm: 6}, rare: [puzzled]}`.
    package init(root: JSON?, items: [String: JSON]) throws(AnswerHintFault) {
        entriesPerDay = try root.map { json throws(AnswerHintFault) in
            guard let rate = json["entries_per_day"]?.double, json.object?.count == 1 else {
                throw AnswerHintFault(linkId: nil)
            }
            return rate
        }
        var choices: [String: Choice] = [:]
        for (linkId, json) in items {
            let rare = json["rare"]?.array ?? []
            guard let near = json["near"]?.string, let options = json["options"]?.object,
                json.object?.count == (json["rare"] == nil ? 2 : 3), rare.allSatisfy({ $0.string != nil })
            else { throw AnswerHintFault(linkId: linkId) }
            var numbers: [String: Double] = [:]
            for option in options {
                guard let number = option.value.double else { throw AnswerHintFault(linkId: linkId) }
                numbers[option.name] = number
            }
            choices[linkId] = Choice(near: near, numbers: numbers, rare: Set(rare.compactMap(\.string)))
        }
        self.choices = choices
    }
}

/// A member `x-simulated` that cannot be read.
package struct AnswerHintFault: Error, Sendable, Hashable, CustomStringConvertible {
    /// The item; nil for the member of the questionnaire.
    package let linkId: String?

    /// The expected form of the member.
    package var description: String {
        guard let linkId else {
            return "\(AnswerHints.key) of a questionnaire is {entries_per_day: <number>}"
        }
        return
            "\(AnswerHints.key) of the item \(linkId) is {near: <item>, options: {<option>: <number>}, rare: [<option>]}"
    }
}
