import SaunterCore

/// Where a row of a sheet's answers stands among the others: by item, then option, texts by their bytes.
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
    /// As in the dataset: the number of the instance stands behind the item.
    var key: AnswerKey { AnswerKey(item: "\(linkId).\(instance)", option: option) }
}
