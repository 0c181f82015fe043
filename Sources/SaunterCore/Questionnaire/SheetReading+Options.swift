/// Options that hang on earlier answers.
extension SheetReading {
    /// Whether any option is offered; true for items whose options have no conditions.
    func offersAny(_ node: QuestionnaireIndex.Node) -> Bool? {
        guard !node.optionConditionNodes.isEmpty else { return true }
        var isKnown = true
        for place in node.item.answerOption.indices {
            switch isOffered(place, node) {
            case true?: return true
            case nil: isKnown = false
            case false?: break
            }
        }
        return isKnown ? node.item.type == .openChoice : nil
    }

    /// What is left of an answer without the options that hang on a question which is hidden itself: like answers to
    /// hidden items they are cleared. An option that was not offered by what was answered is refused.
    mutating func offered(
        of answer: Answer, _ node: QuestionnaireIndex.Node, _ pointer: String, _ reader: inout AnswerReader
    ) -> Answer? {
        var hidden: Set<OptionValue> = []
        var isRefused = false
        for value in answer.chosenOptions {
            guard let place = node.optionPlaces[value], isOffered(place, node) == false else { continue }
            if isOffered(place, node, hiddenHolds: true) == false {
                isRefused = true
            } else {
                hidden.insert(value)
            }
        }
        if isRefused {
            reader.faults.add(pointer, "not_offered", "By the other answers this option was not offered.")
        }
        guard !hidden.isEmpty else { return answer }
        noteCleared(node.item.linkId)
        let rest = answer.without(hidden)
        if let rest, node.item.repeats {
            let places = rest.chosenOptions.compactMap { node.optionPlaces[$0] }
            if !reader.isAlone(places) { reader.checkOccurs(rest.values.count, pointer) }
        }
        return rest
    }

    /// Whether the option at a place is offered; nil when that hangs on a faulty answer.
    /// - Parameter hiddenHolds: judge as if what it asks of hidden questions held.
    private func isOffered(
        _ place: Int, _ node: QuestionnaireIndex.Node, hiddenHolds: Bool = false
    ) -> Bool? {
        let option = node.item.answerOption[place]
        let questions = node.optionConditionNodes[place]
        return option.enableBehavior.isEnabled(count: option.enableWhen.count) { number in
            if hiddenHolds, let question = questions[number], shown[question] == false { return true }
            return holds(option.enableWhen[number], at: questions[number])
        }
    }
}

extension Answer {
    /// Nil where nothing is left.
    fileprivate func without(_ options: Set<OptionValue>) -> Answer? {
        switch self {
        case .option(let value): return options.contains(value) ? nil : self
        case .options(let values):
            let rest = values.filter { !options.contains($0) }
            return rest.isEmpty ? nil : .options(rest)
        case .optionsAndWords(let values, let words):
            return .optionsAndWords(values.filter { !options.contains($0) }, words)
        default: return self
        }
    }
}
