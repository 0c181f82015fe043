extension DefinitionCheck {
    mutating func checkConditions() {
        let dependants = self.dependants
        for (index, place) in places.enumerated() where place.item.isConditional {
            let hanging = reachable(from: index, dependants)
            for (number, condition) in place.item.enableWhen.enumerated() {
                check(condition, of: index, hanging: hanging, "\(place.pointer)/enableWhen/\(number)")
            }
            for (option, choice) in place.item.answerOption.enumerated() {
                for (number, condition) in choice.enableWhen.enumerated() {
                    let pointer = "\(place.pointer)/answerOption/\(option)/enableWhen/\(number)"
                    check(condition, of: index, hanging: hanging, pointer)
                }
            }
            if let source = place.item.enableWhenExpression {
                check(source, of: index, hanging: hanging, "\(place.pointer)/enableWhenExpression")
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
        } else if !question.takesAnswer {
            faults.add(
                "\(pointer)/question", "not_a_question",
                "A \(question.type.rawValue) has no answer to compare.")
        } else if places[target].within != nil, places[target].within != places[index].within {
            faults.add(
                "\(pointer)/question", "in_group",
                "\(question.linkId) is answered once for each instance of its group; an expression can count them."
            )
        } else if places[index].within == target {
            faults.add(
                "\(pointer)/question", "own_group", "An item cannot hang on the group that it stands in.")
        } else if target > index, hanging.contains(target) {
            faults.add(
                "\(pointer)/question", "cycle", "The items \(name) and \(question.linkId) hang on each other."
            )
        } else if target > index {
            faults.add(
                "\(pointer)/question", "later_item",
                "A condition looks back: \(question.linkId) stands later.")
        }
        if question.takesAnswer { check(condition, asking: question, pointer) }
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
            guard question.type != .group, question.type != .ranking else {
                faults.add(
                    "\(pointer)/operator", "not_comparable",
                    "Of \(question.linkId) only can be asked whether it is answered.")
                return
            }
            checkUnits(condition, asking: question, pointer)
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
                faults.add(
                    error.list.map {
                        Fault(
                            pointer: $0.pointer, code: $0.code,
                            detail: "\(question.linkId) cannot be answered so. \($0.detail)")
                    })
            }
        }
    }

    /// An answer in any of the question's units must compare with the one of the condition.
    private mutating func checkUnits(_ condition: Condition, asking question: Item, _ pointer: String) {
        guard case .quantity(let measure) = condition.answer, question.unitOption.contains(measure.unit),
            let odd = question.unitOption.first(where: { !UCUMScale.areOfOneKind($0, measure.unit) })
        else { return }
        faults.add(
            "\(pointer)/answer", "units_not_comparable",
            "\(question.linkId) is answered in \(odd), too, which nobody here can compare with \(measure.unit)."
        )
    }

    /// For each place the places that hang on it directly: by a condition, or by standing in it.
    private var dependants: [[Int]] {
        var dependants = Array(repeating: [Int](), count: places.count)
        for (index, place) in places.enumerated() {
            for target in Set(place.references.compactMap { firsts[$0] }) {
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

extension DefinitionCheck.Place {
    /// linkIds on whose answers it hangs whether, or with which options, the item is shown. What an expression names
    /// that cannot be read is not told.
    var references: [String] {
        item.conditions + (expression?.items ?? [])
    }
}

extension Item {
    /// Whether it, or an option of it, is shown under a condition, be it one that cannot be read.
    fileprivate var isConditional: Bool {
        !enableWhen.isEmpty || enableWhenExpression != nil
            || answerOption.contains { !$0.enableWhen.isEmpty }
    }

    /// linkIds on whose answers it hangs whether the item, or an option of it, is shown.
    package var shownBy: [String] {
        guard let enableWhenExpression else { return conditions }
        do throws(ExpressionFault) {
            return conditions + (try Expression(enableWhenExpression)).items
        } catch {
            return conditions
        }
    }

    /// Those that its conditions name.
    fileprivate var conditions: [String] {
        enableWhen.map(\.question) + answerOption.flatMap { $0.enableWhen.map(\.question) }
    }

    /// Whether `<` and its like mean anything for its answers.
    fileprivate var isOrdered: Bool {
        switch type {
        case .integer, .decimal, .date, .dateTime, .time: true
        case .choice, .openChoice: answerOption.allSatisfy(\.value.isNumber)
        case .quantity: true
        case .group, .display, .boolean, .string, .text, .ranking: false
        }
    }
}
