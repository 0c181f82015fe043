extension Questionnaire {
    /// SHA-256 of the code and the items, in hexadecimal. It covers what is asked and how answers are stored. It does
    /// not cover texts, weights, constraints, the scoring key, the version, the edit policy, `unit` and `itemControl`.
    /// If two versions have the same digest, stored sheets of one version can be scored with the key of the other.
    package var answerFormDigest: String {
        func bare(_ items: [Item]) -> [Item] {
            items.map { item in
                var item = item
                for index in item.answerOption.indices { item.answerOption[index].weight = nil }
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

    /// SHA-256 of the weights of all options, in hexadecimal.
    package var weightDigest: String {
        JSON.array(
            questions.map { item in .array(item.answerOption.map { .optional($0.weight, JSON.double) }) }
        ).digest
    }
}
