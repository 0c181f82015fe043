extension JSON {
    /// The body of an answer sheet or a correction without the answers to some items, also in repeating groups.
    /// - Parameter items: the linkIds.
    package func withoutAnswers(to items: Set<String>) -> JSON {
        guard !items.isEmpty, var body = object, let answers = body["answers"] else { return self }
        body["answers"] = answers.without(items)
        return .object(body)
    }

    private func without(_ names: Set<String>) -> JSON {
        switch self {
        case .object(let object):
            .object(
                JSONObject(
                    object.members.filter { !names.contains($0.name) }
                        .map { JSONObject.Member(name: $0.name, value: $0.value.without(names)) }))
        case .array(let elements): .array(elements.map { $0.without(names) })
        default: self
        }
    }
}
