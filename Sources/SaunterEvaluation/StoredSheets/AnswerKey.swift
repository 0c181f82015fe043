import SaunterCore

/// The sort key of an answer within its sheet: item, then option, compared in byte order.
struct AnswerKey: Sendable, Hashable, Comparable {
    var item = ""
    var option = ""

    static func < (one: AnswerKey, other: AnswerKey) -> Bool {
        one.item == other.item
            ? one.option.utf8.lexicographicallyPrecedes(other.option.utf8)
            : one.item.utf8.lexicographicallyPrecedes(other.item.utf8)
    }
}

extension RepeatedAnswer {
    /// The item has the number of the instance as suffix, as in the dataset.
    var sortKey: AnswerKey { AnswerKey(item: "\(linkId).\(instance)", option: option) }
}
