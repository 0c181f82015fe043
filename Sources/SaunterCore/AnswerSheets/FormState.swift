/// What a form shows, for answers that may still be incomplete or invalid.
package struct FormState: Sendable, Hashable {
    /// The linkIds of the items that are shown. An item whose conditions depend on an invalid answer is shown.
    package let shown: Set<String>
    /// linkId -> the texts of the options that the earlier answers exclude.
    package let excludedOptions: [String: Set<String>]
    /// The items that their conditions hide in an instance of a repeating group: the group, the index of the instance
    /// and the item, such as `meals.0.kcal`. The instance after the last one has no answers.
    package let hiddenInInstances: Set<String>
}

extension QuestionnaireIndex {
    /// Evaluates the conditions of items and options for the answers so far. `shown` has the items of a repeating group
    /// with their group.
    /// - Parameters:
    ///   - answers: linkId -> value, as in a submitted sheet. Unknown and invalid answers count as blank.
    ///   - reasons: linkId -> reason for a blank. A fixed item with a reason does not have its initial value.
    ///   - today: the participant's date, for expressions; nil if it is unknown.
    ///   - forbiddenKinds: the data kinds that the participant does not permit.
    package func formState(
        answers: JSONObject, reasons: JSONObject = [:], today: LocalDate?, forbiddenKinds: Set<String> = []
    ) -> FormState {
        var reader = AnswerSheetReader(
            index: self, pointer: "", reasonsPointer: "", today: today, language: nil,
            forbiddenKinds: forbiddenKinds)
        reader.add(answers: answers)
        reader.add(reasons: reasons)
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
        var hidden = reader.hiddenInInstances
        for (position, node) in nodes.enumerated()
        where node.item.isRepeatingGroup && reader.shown[position] != false {
            var preview = reader
            let count = min(reader.given[position]?.array?.count ?? 0, node.item.maximumAnswers)
            preview.previewInstance(count, of: position)
            hidden.formUnion(preview.hiddenInInstances)
        }
        return FormState(shown: shown, excludedOptions: excluded, hiddenInInstances: hidden)
    }
}
