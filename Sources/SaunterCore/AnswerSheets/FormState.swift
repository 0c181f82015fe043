/// What a form shows, for answers that may still be incomplete or invalid.
package struct FormState: Sendable, Hashable {
    /// The linkIds of the items that are shown. An item whose conditions depend on an invalid answer is shown.
    package let shown: Set<String>
    /// linkId -> the texts of the options that the earlier answers exclude.
    package let excludedOptions: [String: Set<String>]
}

extension QuestionnaireIndex {
    /// Evaluates the conditions of items and options for the answers so far. Items in repeating groups are shown if
    /// their group is shown.
    /// - Parameters:
    ///   - answers: linkId -> value, as in a submitted sheet. Unknown and invalid answers count as blank.
    ///   - today: the participant's date, for expressions; nil if it is unknown.
    package func formState(answers: JSONObject, today: LocalDate?) -> FormState {
        var reader = AnswerSheetReader(
            index: self, pointer: "", reasonsPointer: "", today: today, language: nil, forbiddenKinds: [])
        reader.add(answers: answers)
        reader.resolve()
        var shown: Set<String> = []
        var excluded: [String: Set<String>] = [:]
        for (position, node) in nodes.enumerated() where !node.isHidden {
            let decisive = node.repeatingGroup ?? position
            if reader.shown[decisive] != false { shown.insert(node.item.linkId) }
            guard !node.optionConditionTargets.isEmpty, node.repeatingGroup == nil else { continue }
            for (number, option) in node.item.answerOption.enumerated()
            where reader.isOffered(number, node) == false {
                excluded[node.item.linkId, default: []].insert(option.value.text)
            }
        }
        return FormState(shown: shown, excludedOptions: excluded)
    }
}
