/// The rules that a client needs to judge answers as the server does. They contain no text of a pattern or expression,
/// so a client needs no parser.
extension QuestionnaireIndex {
    /// The members of an item in the form of the API that decide about its answers, or how a form asks for them.
    private static let members: Set<String> = [
        "linkId", "type", "required", "repeats", "readOnly", "hidden", "answerOption", "minValue", "maxValue",
        "minLength", "maxLength", "minOccurs", "maxOccurs", "maxDecimalPlaces", "data_kind", "unitOption",
        "initial", "enableWhen", "enableBehavior", "enableWhenRule", "shuffle", "step", "itemControl",
    ]

    /// The codes of the data kinds that answers belong to.
    package var dataKinds: Set<String> { Set(nodes.compactMap(\.item.dataKind)) }

    /// `{"item": […], "constraint": […], "forbiddenKinds": […]}`, in the form of the API with these differences:
    /// - An item has no texts. `enableWhenRule` and `rule` are checked expressions; see `Expression.tree`.
    /// - `pattern` has the steps of the compiled `regex`; see `Pattern.rule`.
    /// - `unitScale` has the size of each unit of `unitOption`; see `UCUMScale.sizes`.
    /// - Parameters:
    ///   - language: the language of the messages of constraints.
    ///   - forbiddenKinds: the data kinds that the participant does not permit.
    package func rules(language: String, forbiddenKinds: Set<String>) -> JSON {
        let texts = questionnaire.text(in: language)
        let constraints = self.constraints.map { constraint, expression, _ -> JSON in
            var object: JSONObject = [
                "key": .string(constraint.key), "severity": .string(constraint.severity.rawValue),
                "rule": expression.tree,
            ]
            object.add("item", constraint.item.map(JSON.string))
            object.add("human", texts.constraints[constraint.key].map(JSON.string))
            return .object(object)
        }
        return [
            "item": .array(questionnaire.item.map(Self.rules)), "constraint": .array(constraints),
            "forbiddenKinds": .array(forbiddenKinds.sorted().map(JSON.string)),
        ]
    }

    private static func rules(of item: Item) -> JSON {
        let noTexts = QuestionnaireText(title: "", items: [:], options: [:])
        var object = JSONObject(
            (item.json(text: noTexts).object ?? [:]).members.filter { members.contains($0.name) })
        object.add("pattern", item.pattern?.rule)
        if item.unitOption.count > 1 { object.add("unitScale", UCUMScale.sizes(of: item.unitOption)) }
        if !item.item.isEmpty { object.add("item", .array(item.item.map(rules))) }
        return .object(object)
    }
}

extension Pattern {
    /// The steps of the compiled pattern, which a client simulates as `matches` does. The last step is the end.
    ///
    /// - A step that consumes one character: `{"ranges": [[97, 122]]}`, with the Unicode scalars that it accepts.
    ///   `"letters": true` and `"numbers": true` add all letters and numbers of Unicode. `"negated": true` accepts all
    ///   other characters instead.
    /// - A step that continues at other steps: `{"to": [1, 5]}`.
    var rule: JSON { .array(steps.map(\.rule)) }
}

extension Pattern.Step {
    fileprivate var rule: JSON {
        switch self {
        case .consume(let characters):
            var object: JSONObject = [
                "ranges": .array(
                    characters.ranges.map { [.int(Int($0.lowerBound)), .int(Int($0.upperBound))] })
            ]
            if characters.includesLetters { object["letters"] = true }
            if characters.includesNumbers { object["numbers"] = true }
            if characters.isNegated { object["negated"] = true }
            return .object(object)
        case .split(let first, let second): return ["to": [.int(first), .int(second)]]
        case .jump(let target): return ["to": [.int(target)]]
        case .end: return .object([:])
        }
    }
}
