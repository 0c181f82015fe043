extension Questionnaire {
    /// What a participant's client shows: the structure under its FHIR R4 names with the words of one
    /// language, the fallback language where the wanted one is missing. Weights and scoring are left out.
    package func json(language: String) -> JSON {
        let shown = text[language] == nil ? languages.first ?? language : language
        let words = text(in: shown)
        var object = head
        object.add("title", .string(words.title))
        object.add("description", words.description.map(JSON.string))
        object.add("language", .string(shown))
        object.add("languages", .array(languages.map(JSON.string)))
        object.add("minutes", .double(minutes))
        object.add("copyright", copyright.map(JSON.string))
        object.add("license", license.map(JSON.string))
        object.add("edit", edit.json)
        addConstraints(to: &object, words: words)
        object.add("item", .array(item.map { $0.json(text: words) }))
        return .object(object)
    }

    /// Everything that this version is, in all languages, with weights and scoring: the archive form.
    package func json() -> JSON {
        var object = head
        object.add("languages", .array(languages.map(JSON.string)))
        object.add("minutes", .double(minutes))
        object.add("copyright", copyright.map(JSON.string))
        object.add("license", license.map(JSON.string))
        object.add("edit", edit.json)
        addConstraints(to: &object, words: nil)
        object.add("item", .array(item.map { $0.json(text: nil) }))
        object.add("scoring", scoring?.json)
        object.add("text", .object(JSONObject(sorting: text) { $0.json }))
        return .object(object)
    }

    /// SHA-256 of the archive form: the same for equal versions, whatever the order in which they were put
    /// together.
    package var digest: String { json().digest }

    /// Left out where there are none, as the archive form of older versions has none.
    private func addConstraints(to object: inout JSONObject, words: QuestionnaireText?) {
        guard !constraint.isEmpty else { return }
        object.add("constraint", .array(constraint.map { $0.json(human: words?.constraints[$0.key]) }))
    }

    private var head: JSONObject { ["code": .string(code), "version": .string(version)] }
}

extension Constraint {
    fileprivate func json(human: String?) -> JSON {
        var object: JSONObject = ["key": .string(key), "severity": .string(severity.rawValue)]
        object.add("expression", .string(expression))
        object.add("item", item.map(JSON.string))
        object.add("human", human.map(JSON.string))
        return .object(object)
    }
}

extension EditPolicy {
    /// `correct_within_s` and `delete_within_s`, where they are allowed.
    package var json: JSON {
        var object = JSONObject()
        object.add("correct_within_s", correctWithin.map(JSON.int))
        object.add("delete_within_s", deleteWithin.map(JSON.int))
        return .object(object)
    }
}

extension QuestionnaireText {
    fileprivate var json: JSON {
        var object: JSONObject = ["title": .string(title)]
        object.add("description", description.map(JSON.string))
        object.add("items", .object(JSONObject(sorting: items, JSON.string)))
        object.add(
            "options", .object(JSONObject(sorting: options) { .object(JSONObject(sorting: $0, JSON.string)) })
        )
        object.add("scales", .object(JSONObject(sorting: scales, JSON.string)))
        object.add(
            "bands", .object(JSONObject(sorting: bands) { .object(JSONObject(sorting: $0, JSON.string)) }))
        if !constraints.isEmpty {
            object.add("constraints", .object(JSONObject(sorting: constraints, JSON.string)))
        }
        if !media.isEmpty { object.add("media", .object(JSONObject(sorting: media, JSON.string))) }
        return .object(object)
    }
}
