/// Names, types and places of what expressions name.
extension DefinitionCheck {
    /// The expression that decides whether an item is shown.
    /// - Parameter hanging: the items that hang on this one.
    mutating func check(_ source: String, of index: Int, hanging: Set<Int>, _ pointer: String) {
        check(source, pointer) { check, name in
            guard let target = check.firsts[name] else {
                return .failure(.init(detail: "there is no item \(name)"))
            }
            let own = check.places[index].item.linkId
            if target == index {
                return .failure(.init(detail: "an item cannot hang on its own answer"))
            }
            if check.places[index].within == target {
                return .failure(.init(detail: "an item cannot hang on the group that it stands in"))
            }
            if target > index, hanging.contains(target) {
                return .failure(.init(detail: "the items \(own) and \(name) hang on each other"))
            }
            if target > index {
                return .failure(.init(detail: "an expression looks back: \(name) stands later"))
            }
            return check.places[target].type(from: check.places[index].within)
        }
    }

    mutating func checkConstraints() {
        let constraints = questionnaire.constraint
        if constraints.count > Constraint.maximumNumber {
            faults.add(
                "/constraint", "too_many_constraints",
                "At most \(Constraint.maximumNumber) are taken, not \(constraints.count).")
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
            let place = constraint.item.flatMap { firsts[$0] }.map { places[$0] }
            if let name = constraint.item, place?.item.takesAnswer != true {
                faults.add("\(pointer)/item", "unknown_item", "There is no question \(name).")
            }
            let within = place?.within
            check(constraint.expression, "\(pointer)/expression") { check, name in
                guard let target = check.firsts[name] else {
                    return .failure(.init(detail: "there is no item \(name)"))
                }
                if let within, target >= within, check.places[target].within != within {
                    return .failure(
                        .init(detail: "\(name) does not stand before the group of which instances are judged")
                    )
                }
                return check.places[target].type(from: within)
            }
        }
    }

    private mutating func check(
        _ source: String, _ pointer: String,
        _ type: (DefinitionCheck, String) -> Result<ExpressionType, ExpressionNameFault>
    ) {
        do throws(ExpressionFault) {
            let expression = try Expression(source)
            let (places, firsts) = (places, firsts)
            let this = self
            let check = withoutActuallyEscaping(type) { type in
                Result { () throws(ExpressionFault) in
                    try ExpressionCheck(
                        type: { type(this, $0) },
                        codes: { firsts[$0].flatMap { places[$0].item.expressionCodes } }
                    ).check(expression, wants: .boolean)
                }
            }
            try check.get()
        } catch {
            faults.add(pointer, "bad_expression", error.text)
        }
    }
}

extension Constraint {
    /// Constraints that a questionnaire has at most.
    package static let maximumNumber = 200
}

extension DefinitionCheck.Place {
    /// What the answers are to an expression.
    /// - Parameter within: the repeating group in which the expression stands.
    fileprivate func type(from within: Int?) -> Result<ExpressionType, ExpressionNameFault> {
        if item.isRepeatingGroup { return .success(.group) }
        let one: ExpressionType
        switch item.type {
        case .boolean: one = .boolean
        case .integer, .decimal: one = .number
        case .quantity:
            guard item.unitOption.count == 1 else {
                return .failure(.init(detail: "\(item.linkId) is answered in several units"))
            }
            one = .number
        case .string, .text: one = .text
        case .date: one = .date
        case .time: one = .time
        case .dateTime: one = .moment
        case .choice: one = item.answerOption.first?.value.isNumber == true ? .number : .text
        case .openChoice:
            guard item.answerOption.first?.value.isNumber == false else {
                return .failure(.init(detail: "\(item.linkId) is answered in numbers and in words"))
            }
            one = .text
        case .ranking: return .failure(.init(detail: "\(item.linkId) is a ranking, which has no value"))
        case .group, .display:
            return .failure(.init(detail: "\(item.linkId) is a \(item.type.rawValue), which has no answer"))
        }
        guard self.within == within || self.within == nil else {
            return item.repeats
                ? .failure(.init(detail: "\(item.linkId) has several answers in each of several instances"))
                : .success(.several(one))
        }
        return .success(item.repeats ? .several(one) : one)
    }
}

extension Item {
    /// The codes among which its answers are; nil where there are others.
    fileprivate var expressionCodes: Set<String>? {
        type == .choice && answerOption.first?.value.isNumber == false
            ? Set(answerOption.map(\.value.text)) : nil
    }
}
