extension Questionnaire {
    /// SHA-256 of what is asked and how answers are stored: code and items. Words, weights, the scoring key, the
    /// version and what participants may correct are not in it, so that two versions of one form differ in
    /// nothing that a stored sheet depends on.
    package var answerForm: String {
        func bare(_ items: [Item]) -> [Item] {
            items.map { item in
                var item = item
                for place in item.answerOption.indices { item.answerOption[place].weight = nil }
                item.unit = nil
                item.itemControl = nil
                item.item = bare(item.item)
                return item
            }
        }
        let form = Questionnaire(
            code: code, version: "", item: bare(item), text: [:], languages: [], minutes: 0)
        return form.digest
    }

    /// SHA-256 of what the options of all items count, where a key does not say otherwise.
    package var weightDigest: String {
        JSON.array(
            questions.map { item in .array(item.answerOption.map { .optional($0.weight, JSON.double) }) }
        ).digest
    }
}
