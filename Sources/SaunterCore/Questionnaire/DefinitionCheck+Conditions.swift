extension DefinitionCheck {
    mutating func checkConditions() {
        let dependants = self.dependants
        for (index, place) in places.enumerated() where !place.item.enableWhen.isEmpty {
            let hanging = reachable(from: index, dependants)
            for (number, condition) in place.item.enableWhen.enumerated() {
                check(condition, of: index, hanging: hanging, "\(place.pointer)/enableWhen/\(number)")
            }
        }
    }

    /// - Parameter hanging: the items that hang on this one.
    private mutating func check(_ condition: Condition, of index: Int, hanging: Set<Int>, _ pointer: String) {
        guard let target = firsts[condition.question] else {
            faults.add("\(pointer)/question", "unknown_item", "There is no item \(condition.question).")
            return
        }
        let question = places[target].item
        let name = places[index].item.linkId
        if target == index {
            faults.add("\(pointer)/question", "own_item", "An item cannot hang on its own answer.")
        } else if !question.type.isQuestion {
            faults.add(
                "\(pointer)/question", "not_a_question",
                "A \(question.type.rawValue) has no answer to compare.")
        } else if target > index, hanging.contains(target) {
            faults.add(
                "\(pointer)/question", "cycle", "The items \(name) and \(question.linkId) hang on each other."
            )
        } else if target > index {
            faults.add(
                "\(pointer)/question", "later_item",
                "A condition looks back: \(question.linkId) stands later.")
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
                faults.add(
                    "\(pointer)/operator", "not_ordered", "The answers to \(question.linkId) have no order.")
            }
            fallthrough
        case .equal, .notEqual:
            do {
                if try question.answer(
                    from: condition.answer.json, pointer: "\(pointer)/answer", single: true)
                    != condition.answer
                {
                    faults.add(
                        "\(pointer)/answer", "wrong_type",
                        "This is no answer that \(question.linkId) can have.")
                }
            } catch {
                faults.add(error.list)
            }
        }
    }

    /// For each place the places that hang on it directly: by a condition, or by standing in it.
    private var dependants: [[Int]] {
        var dependants = Array(repeating: [Int](), count: places.count)
        for (index, place) in places.enumerated() {
            for target in Set(place.item.enableWhen.compactMap { firsts[$0.question] }) {
                dependants[target].append(index)
            }
            if let parent = place.parent { dependants[parent].append(index) }
        }
        return dependants
    }

    private func reachable(from start: Int, _ next: [[Int]]) -> Set<Int> {
        var seen: Set<Int> = []
        var open = next[start]
        while let place = open.popLast() {
            if seen.insert(place).inserted { open += next[place] }
        }
        return seen
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
