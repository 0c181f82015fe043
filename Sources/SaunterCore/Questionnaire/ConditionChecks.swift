extension DefinitionCheck {
    /// Checks the conditions of items and options. They can only refer to earlier items.
    mutating func checkConditions() {
        let graph = dependencyGraph
        for (index, node) in nodes.enumerated() where node.item.isConditional {
            let dependants = reachable(from: index, graph)
            for (number, condition) in node.item.enableWhen.enumerated() {
                check(condition, of: index, dependants: dependants, "\(node.pointer)/enableWhen/\(number)")
            }
            for (option, choice) in node.item.answerOption.enumerated() {
                for (number, condition) in choice.enableWhen.enumerated() {
                    let pointer = "\(node.pointer)/answerOption/\(option)/enableWhen/\(number)"
                    check(condition, of: index, dependants: dependants, pointer)
                }
            }
            if let source = node.item.enableWhenExpression {
                check(source, of: index, dependants: dependants, "\(node.pointer)/enableWhenExpression")
            }
        }
    }

    /// Checks the question that a condition refers to.
    /// - Parameter dependants: the positions of all items that depend on this item.
    private mutating func check(
        _ condition: Condition, of index: Int, dependants: Set<Int>, _ pointer: String
    ) {
        guard let target = positions[condition.question] else {
            faults.add(
                "\(pointer)/question", "unknown_item", "There is no item \(condition.question).",
                naming: condition.question)
            return
        }
        let question = nodes[target].item
        let name = nodes[index].item.linkId
        if target == index {
            faults.add("\(pointer)/question", "own_item", "An item cannot depend on its own answer.")
        } else if !question.acceptsAnswer {
            faults.add(
                "\(pointer)/question", "not_a_question",
                "An item of type \(question.type.rawValue) has no answer to compare.")
        } else if nodes[target].repeatingGroup != nil,
            nodes[target].repeatingGroup != nodes[index].repeatingGroup
        {
            faults.add(
                "\(pointer)/question", "in_group",
                "\(question.linkId) has an answer in each instance of its group; only an expression can count them.",
                naming: question.linkId
            )
        } else if nodes[index].repeatingGroup == target {
            faults.add(
                "\(pointer)/question", "own_group", "An item cannot depend on the group that contains it.")
        } else if target > index, dependants.contains(target) {
            faults.add(
                "\(pointer)/question", "cycle",
                "The items \(name) and \(question.linkId) depend on each other.", naming: name,
                question.linkId
            )
        } else if target > index {
            faults.add(
                "\(pointer)/question", "later_item",
                "A condition can only refer to an earlier item: \(question.linkId) is a later one.",
                naming: question.linkId)
        }
        if question.acceptsAnswer { check(condition, asking: question, pointer) }
    }

    /// Checks that the operator and the value fit the question.
    private mutating func check(_ condition: Condition, asking question: Item, _ pointer: String) {
        switch condition.comparison {
        case .exists:
            guard case .boolean = condition.answer else {
                faults.add("\(pointer)/answer", "wrong_type", "The operator `exists` needs true or false.")
                return
            }
        case .greater, .less, .atLeast, .atMost:
            if !question.isOrdered {
                faults.add(
                    "\(pointer)/operator", "not_ordered", "The answers to \(question.linkId) have no order.",
                    naming: question.linkId)
            }
            fallthrough
        case .equal, .notEqual:
            guard question.type.form.isComparable else {
                faults.add(
                    "\(pointer)/operator", "not_comparable",
                    "The only operator for \(question.linkId) is `exists`.", naming: question.linkId)
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
                        "This is not a valid answer to \(question.linkId).", naming: question.linkId)
                }
            } catch {
                faults.add(
                    error.list.map {
                        Fault(
                            pointer: $0.pointer, code: $0.code,
                            detail: "This is not a valid answer to \(question.linkId). \($0.detail)",
                            names: [question.linkId])
                    })
            }
        }
    }

    /// Checks that answers in every unit of the question can be compared with the value of the condition.
    private mutating func checkUnits(_ condition: Condition, asking question: Item, _ pointer: String) {
        guard case .quantity(let measure) = condition.answer, question.unitOption.contains(measure.unit),
            let incomparable = question.unitOption.first(where: { !UCUMScale.areComparable($0, measure.unit) }
            )
        else { return }
        faults.add(
            "\(pointer)/answer", "units_not_comparable",
            "\(question.linkId) can be answered in \(incomparable). Saunter cannot convert between \(incomparable) and \(measure.unit).",
            naming: question.linkId
        )
    }

    /// For each position, the positions that depend on it directly: items with a condition on it, and items inside it.
    private var dependencyGraph: [[Int]] {
        var graph = Array(repeating: [Int](), count: nodes.count)
        for (index, node) in nodes.enumerated() {
            for target in Set(node.references.compactMap { positions[$0] }) {
                graph[target].append(index)
            }
            if let parent = node.parent { graph[parent].append(index) }
        }
        return graph
    }

    private func reachable(from start: Int, _ next: [[Int]]) -> Set<Int> {
        var seen: Set<Int> = []
        var pending = next[start]
        while let position = pending.popLast() {
            if seen.insert(position).inserted { pending += next[position] }
        }
        return seen
    }
}

extension DefinitionCheck.Node {
    /// The linkIds that the conditions of the item and of its options refer to. An expression with a syntax error has
    /// none.
    var references: [String] {
        item.conditionQuestions + (expression?.items ?? [])
    }
}

extension Item {
    /// Whether the item or one of its options has a condition, even one with a syntax error.
    fileprivate var isConditional: Bool {
        !enableWhen.isEmpty || enableWhenExpression != nil
            || answerOption.contains { !$0.enableWhen.isEmpty }
    }

    /// The linkIds whose answers decide whether the item and its options are shown.
    package var visibilityDependencies: [String] {
        conditionQuestions + (enableWhenExpression.flatMap { Expression(ifValid: $0) }?.items ?? [])
    }

    /// The linkIds in the conditions of the item and of its options.
    fileprivate var conditionQuestions: [String] {
        enableWhen.map(\.question) + answerOption.flatMap { $0.enableWhen.map(\.question) }
    }

    /// Whether its answers have an order, so that `<` and `>` are defined.
    package var isOrdered: Bool {
        type.form.isOrdered
            && (!type.hasOptions || answerOption.allSatisfy(\.value.isNumber))
    }
}

/// Checks the names, types and positions in expressions.
extension DefinitionCheck {
    /// Checks the expression that decides whether an item is shown.
    /// - Parameter dependants: the positions of all items that depend on this item.
    mutating func check(_ source: String, of index: Int, dependants: Set<Int>, _ pointer: String) {
        check(source, pointer) { check, name in
            guard let target = check.positions[name] else {
                return .failure(.init(detail: "there is no item \(name)"))
            }
            let own = check.nodes[index].item.linkId
            if target == index {
                return .failure(.init(detail: "an item cannot depend on its own answer"))
            }
            if check.nodes[index].repeatingGroup == target {
                return .failure(.init(detail: "an item cannot depend on the group that contains it"))
            }
            if target > index, dependants.contains(target) {
                return .failure(.init(detail: "the items \(own) and \(name) depend on each other"))
            }
            if target > index {
                return .failure(
                    .init(detail: "an expression can only refer to an earlier item: \(name) is a later one"))
            }
            return check.nodes[target].type(from: check.nodes[index].repeatingGroup)
        }
    }

    /// Checks the constraints.
    mutating func checkConstraints() {
        let constraints = questionnaire.constraint
        if constraints.count > Constraint.maximumNumber {
            faults.add(
                "/constraint", "too_many_constraints",
                "The maximum is \(Constraint.maximumNumber) constraints, not \(constraints.count).")
        }
        var keys: Set<String> = []
        for (number, constraint) in constraints.prefix(Constraint.maximumNumber).enumerated() {
            let pointer = "/constraint/\(number)"
            if !DefinitionName.isValid(constraint.key) {
                faults.add("\(pointer)/key", "bad_id", DefinitionName.rule)
            }
            if !keys.insert(constraint.key).inserted {
                faults.add("\(pointer)/key", "duplicate_id", "An earlier constraint has this key.")
            }
            let node = constraint.item.flatMap { positions[$0] }.map { nodes[$0] }
            if let name = constraint.item, node?.item.acceptsAnswer != true {
                faults.add("\(pointer)/item", "unknown_item", "There is no question \(name).", naming: name)
            }
            let repeatingGroup = node?.repeatingGroup
            check(constraint.expression, "\(pointer)/expression") { check, name in
                guard let target = check.positions[name] else {
                    return .failure(.init(detail: "there is no item \(name)"))
                }
                if let repeatingGroup, target >= repeatingGroup,
                    check.nodes[target].repeatingGroup != repeatingGroup
                {
                    return .failure(
                        .init(detail: "\(name) is not before the group whose instances the constraint checks")
                    )
                }
                return check.nodes[target].type(from: repeatingGroup)
            }
        }
    }

    private mutating func check(
        _ source: String, _ pointer: String,
        _ type: (DefinitionCheck, String) -> Result<ExpressionType, ExpressionNameFault>
    ) {
        var names: [String] = []
        do throws(ExpressionFault) {
            let expression = try Expression(source)
            names = expression.items
            let (nodes, positions) = (nodes, positions)
            let this = self
            let check = withoutActuallyEscaping(type) { type in
                Result { () throws(ExpressionFault) in
                    try ExpressionCheck(
                        type: { type(this, $0) },
                        codes: { positions[$0].flatMap { nodes[$0].item.codes } }
                    ).check(expression, expects: .boolean)
                }
            }
            try check.get()
        } catch {
            faults.add([Fault(pointer: pointer, code: "bad_expression", detail: error.text, names: names)])
        }
    }
}

extension Constraint {
    /// The maximum number of constraints of a questionnaire.
    package static let maximumNumber = 200
}

extension DefinitionCheck.Node {
    /// The type of the item in an expression.
    /// - Parameter repeatingGroup: the position of the repeating group that contains the expression.
    fileprivate func type(from repeatingGroup: Int?) -> Result<ExpressionType, ExpressionNameFault> {
        if item.isRepeatingGroup { return .success(.group) }
        let one: ExpressionType
        do throws(ExpressionNameFault) {
            one = try item.type.definition.expressionType(of: item)
        } catch {
            return .failure(error)
        }
        guard self.repeatingGroup == repeatingGroup || self.repeatingGroup == nil else {
            return item.repeats
                ? .failure(.init(detail: "\(item.linkId) has several answers in each of several instances"))
                : .success(.several(one))
        }
        return .success(item.repeats ? .several(one) : one)
    }
}
