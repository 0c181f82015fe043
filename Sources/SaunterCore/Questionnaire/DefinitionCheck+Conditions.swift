extension DefinitionCheck {
    mutating func checkConditions() {
        for (index, place) in places.enumerated() {
            for (number, condition) in place.item.enableWhen.enumerated() {
                check(condition, of: index, "\(place.pointer)/enableWhen/\(number)")
            }
        }
    }

    private mutating func check(_ condition: Condition, of index: Int, _ pointer: String) {
        guard let target = firsts[condition.question] else {
            faults.add("\(pointer)/question", "unknown_item", "There is no item \(condition.question).")
            return
        }
        let question = places[target].item
        if target == index {
            faults.add("\(pointer)/question", "own_item", "An item cannot hang on its own answer.")
        } else if !question.type.isQuestion {
            faults.add("\(pointer)/question", "not_a_question", "A \(question.type.rawValue) has no answer to compare.")
        } else if target > index {
            if hangs(target, on: index) {
                faults.add("\(pointer)/question", "cycle", "The items \(places[index].item.linkId) and \(question.linkId) hang on each other.")
            } else {
                faults.add("\(pointer)/question", "later_item", "A condition looks back: \(question.linkId) stands later.")
            }
        }
        if question.type.isQuestion { check(condition, asking: question, pointer) }
    }

    private mutating func check(_ condition: Condition, asking question: Item, _ pointer: String) {
        switch condition.comparison {
        case .exists:
            guard case .boolean = condition.answer else {
                faults.add("\(pointer)/answer", "wrong_type", "exists is compared with true or false.")
                return
            }
        case .greater, .less, .atLeast, .atMost:
            if !question.isOrdered {
                faults.add("\(pointer)/operator", "not_ordered", "The answers to \(question.linkId) have no order.")
            }
            fallthrough
        case .equal, .notEqual:
            do {
                if try question.answer(from: condition.answer.json, pointer: "\(pointer)/answer", single: true) != condition.answer {
                    faults.add("\(pointer)/answer", "wrong_type", "This is no answer that \(question.linkId) can have.")
                }
            } catch {
                faults.add(error.list)
            }
        }
    }

    /// Whether an item is shown by conditions that lead to another one, through its groups and other questions.
    private func hangs(_ start: Int, on goal: Int) -> Bool {
        var seen: Set<Int> = []
        var open = [start]
        while let place = open.popLast() {
            guard seen.insert(place).inserted else { continue }
            if place == goal { return true }
            open += places[place].item.enableWhen.compactMap { firsts[$0.question] }
            if let parent = places[place].parent { open.append(parent) }
        }
        return false
    }
}

extension Item {
    /// Whether `<` and its like mean anything for its answers.
    fileprivate var isOrdered: Bool {
        switch type {
        case .integer, .decimal, .date, .dateTime, .time: true
        case .choice: answerOption.allSatisfy(\.value.isNumber)
        case .group, .display, .boolean, .string, .text: false
        }
    }
}
