/// Checks the tailoring variables of a study: `variables.yaml`.
extension StudyCheck {
    mutating func checkVariables() {
        guard study.variables.count <= TailoringVariable.maximumNumber else {
            faults.add(
                "/variables", "too_many",
                "A study has at most \(TailoringVariable.maximumNumber) variables, not \(study.variables.count)."
            )
            return
        }
        checkVariableNames()
        let signatures = VariableSignatures(study)
        for (index, variable) in study.variables.enumerated() {
            let pointer = "/variables/\(index)"
            checkSource(of: variable, pointer)
            checkMembers(of: variable, pointer)
            checkOtherVariables(of: variable, signatures, pointer)
            checkWindows(of: variable, pointer)
            checkReceipts(of: variable, pointer)
        }
        checkVariableCycles()
        checkVariableTexts(signatures)
    }

    private mutating func checkVariableNames() {
        var seen: Set<String> = []
        for (index, variable) in study.variables.enumerated() {
            let pointer = "/variables/\(index)/id"
            if !DefinitionName.isValid(variable.id) {
                faults.add(pointer, "invalid_name", DefinitionName.rule)
            } else if VariableName.reserved.contains(variable.id) {
                faults.add(pointer, "invalid_name", "\(variable.id) has another meaning in expressions.")
            }
            if !seen.insert(variable.id).inserted {
                faults.add(pointer, "duplicate", "Another variable has this id.")
            }
            if study.covariates.contains(where: { $0.id == variable.id }) {
                faults.add(pointer, "duplicate", "A covariate has this id.")
            }
        }
    }

    private mutating func checkVariableCycles() {
        for cycle in VariableGraph(study.variables).cycles {
            let names = cycle.map { study.variables[$0].id }
            guard let first = names.first, let position = cycle.first else { continue }
            let pairs = zip(names, names.dropFirst() + [first]).map { "\($0) needs \($1)" }
            let kind = study.variables[position].kind.name
            faults.add(
                "/variables/\(position)/\(kind)", "cycle",
                "Variables depend on each other: \(pairs.joined(separator: ", ")).")
        }
    }

    /// Checks the members that not every kind accepts.
    private mutating func checkMembers(of variable: TailoringVariable, _ pointer: String) {
        let kind = variable.kind
        if variable.window != nil, !kind.acceptsWindow {
            faults.add("\(pointer)/window", "not_permitted", "The kind `\(kind.name)` has no window.")
        }
        if let least = variable.least {
            if !kind.acceptsLeast {
                faults.add("\(pointer)/least", "not_permitted", "The kind `\(kind.name)` has no `least`.")
            } else if least < 1 {
                faults.add("\(pointer)/least", "out_of_range", "`least` must be 1 or more.")
            }
        }
        if variable.by != nil { checkGrouping(of: variable, "\(pointer)/by") }
        checkCondition(of: variable, pointer)
        if case .top(let most) = kind, !TailoringVariable.topRange.contains(most) {
            faults.add(
                "\(pointer)/top/most", "out_of_range",
                "`most` must be 1 to \(TailoringVariable.topRange.upperBound).")
        }
    }

    /// Checks `where` over the answers of a sheet. `where` over keys is checked with the other variables.
    private mutating func checkCondition(of variable: TailoringVariable, _ pointer: String) {
        if case .keys = variable.kind { return }
        guard let condition = variable.condition else {
            if variable.kind == .share {
                faults.add("\(pointer)/where", "required", "The kind `share` needs a condition in `where`.")
            }
            return
        }
        guard case .entry(let entries)? = variable.source else {
            faults.add(
                "\(pointer)/where", "not_permitted",
                "`where` is only possible for entries and for the kind `keys`.")
            return
        }
        for questionnaire in entries.questionnaires.compactMap({ study.questionnaire($0) }) {
            let items = questionnaire.answerTypes
            let check = ExpressionCheck(
                type: { name in
                    items[name].map { .success($0.type) }
                        ?? .failure(
                            .init(detail: "\(questionnaire.code) has no answer \(name.prefix(60)) to compare")
                        )
                }, codes: { items[$0]?.codes })
            if !checkExpression(
                condition, .answers, check, expects: .boolean, "\(pointer)/where", questionnaire.code)
            {
                return
            }
        }
    }

    /// Checks a complete expression.
    /// - Parameter expected: nil for any single value.
    /// - Returns: whether it has no fault.
    @discardableResult
    private mutating func checkExpression(
        _ source: String, _ dialect: Expression.Dialect, _ check: ExpressionCheck,
        expects expected: ExpressionType?,
        _ pointer: String, _ names: String...
    ) -> Bool {
        var items: [String] = []
        do throws(ExpressionFault) {
            let expression = try Expression(source, dialect: dialect)
            items = expression.items
            if let expected {
                try check.check(expression, expects: expected)
            } else {
                let type = try check.type(of: expression)
                guard type.one == type, type != .group else {
                    throw ExpressionFault(position: 1, detail: "the result is \(type.name), not one value")
                }
            }
            return true
        } catch {
            faults.add([
                Fault(pointer: pointer, code: "bad_expression", detail: error.text, names: names + items)
            ])
            return false
        }
    }

    // MARK: Other variables

    private mutating func checkOtherVariables(
        of variable: TailoringVariable, _ signatures: VariableSignatures, _ pointer: String
    ) {
        let path = "\(pointer)/\(variable.kind.name)"
        switch variable.kind {
        case .change(let target, let since): checkChange(of: target, since: since, signatures, pointer)
        case .keys(let target):
            guard hasVariable(target, path) else { return }
            guard let signature = signatures[target] else { return }
            guard signature.key != nil else {
                faults.add(path, "not_keyed", "The variable \(target) has no keys.", naming: target)
                return
            }
            if let condition = variable.condition, areValid(namesIn: condition, signatures) {
                checkExpression(
                    condition, .variables, signatures.check(keyed: signature), expects: .boolean,
                    "\(pointer)/where")
            }
        case .expression(let source):
            if areValid(namesIn: source, signatures) {
                checkExpression(source, .variables, signatures.check(), expects: nil, path)
            }
        default: break
        }
    }

    private mutating func hasVariable(_ id: String, _ pointer: String) -> Bool {
        if study.variables.contains(where: { $0.id == id }) { return true }
        faults.add(pointer, "unknown_variable", "There is no variable \(id.prefix(60)).", naming: id)
        return false
    }

    /// Whether no variable that an expression names has a fault. Otherwise the expression is not checked, because its
    /// fault could be a result of that one. The check of the expression reports unknown names.
    private func areValid(namesIn source: String, _ signatures: VariableSignatures) -> Bool {
        let probe = TailoringVariable(id: "", kind: .expression(source))
        return probe.dependencies.allSatisfy { id in
            signatures[id] != nil || !study.variables.contains { $0.id == id }
        }
    }

    private mutating func checkChange(
        of target: String, since: TailoringVariable.Window?, _ signatures: VariableSignatures,
        _ pointer: String
    ) {
        guard hasVariable(target, "\(pointer)/change"),
            let compared = study.variables.first(where: { $0.id == target })
        else { return }
        if let since {
            if !since.hasPrevious {
                faults.add(
                    "\(pointer)/since", "not_permitted",
                    "`since` needs a window of calendar units or a number of days.")
            }
            if compared.kind != .latest || compared.window != nil {
                faults.add(
                    "\(pointer)/change", "not_comparable",
                    "With `since`, \(target) must be of the kind `latest` and have no window.", naming: target
                )
                return
            }
        } else if !compared.kind.isComparable || compared.window?.hasPrevious != true {
            faults.add(
                "\(pointer)/change", "not_comparable",
                "\(target) needs a number and a window that has a previous window.", naming: target)
            return
        }
        if let signature = signatures[target], signature.element != .number {
            faults.add(
                "\(pointer)/change", "not_numeric", "The values of \(target) are not numbers.", naming: target
            )
        }
    }

    // MARK: Windows

    private mutating func checkWindows(of variable: TailoringVariable, _ pointer: String) {
        if let window = variable.window { check(window, "\(pointer)/window") }
        switch variable.kind {
        case .change(_, let since?): check(since, "\(pointer)/since")
        case .list(let window?):
            let path = "\(pointer)/list/active_in"
            if !window.hasPrevious {
                faults.add(
                    path, "not_permitted", "`active_in` needs a window of calendar units or a number of days."
                )
            }
            check(window, path)
        case .series(let unit):
            if case .last(let days, _)? = variable.window, days <= TailoringVariable.maximumWindowDays,
                days / unit.shortestDays > TailoringVariable.maximumPoints
            {
                faults.add(
                    "\(pointer)/window/last", "too_many",
                    "A series has at most \(TailoringVariable.maximumPoints) points.")
            }
        default: break
        }
    }

    private mutating func check(_ window: TailoringVariable.Window, _ pointer: String) {
        switch window {
        case .today, .thisWeek, .thisMonth, .lastMonth: break
        case .last(let days, let ending):
            let limit = TailoringVariable.maximumWindowDays
            if !(1...limit).contains(days) {
                faults.add("\(pointer)/last", "out_of_range", "A window has 1 to \(limit) days.")
            }
            if !(0...limit).contains(ending) {
                faults.add("\(pointer)/ending", "out_of_range", "A window ends at most \(limit) days ago.")
            }
        case .since(let event): checkVariableEvent(event, "\(pointer)/since")
        case .during(let questionnaire): checkActive(questionnaire, "\(pointer)/while")
        }
    }

    // MARK: Receipts

    private mutating func checkReceipts(of variable: TailoringVariable, _ pointer: String) {
        guard !variable.after.isEmpty else { return }
        if variable.shown != .participants {
            faults.add(
                "\(pointer)/after", "not_shown",
                "Only a variable with `shown: true` can be part of a receipt.")
        }
        var seen: Set<String> = []
        for (index, questionnaire) in variable.after.enumerated() {
            if study.questionnaire(questionnaire) == nil {
                faults.add(
                    "\(pointer)/after/\(index)", "unknown_questionnaire",
                    "The study has no questionnaire \(questionnaire.prefix(60)).", naming: questionnaire)
            }
            if !seen.insert(questionnaire).inserted {
                faults.add(
                    "\(pointer)/after/\(index)", "duplicate", "The list already has this questionnaire.")
            }
        }
    }
}

extension TailoringVariable.Kind {
    /// Whether `window` can be set.
    fileprivate var acceptsWindow: Bool {
        switch self {
        case .streak, .change, .keys, .expression: false
        default: true
        }
    }

    /// Whether two windows of the variable can be compared.
    fileprivate var isComparable: Bool {
        switch self {
        case .latest, .first, .count, .days, .statistic, .share, .slope: true
        case .at, .top, .series, .change, .streak, .keys, .list, .expression: false
        }
    }
}

extension TailoringVariable.CalendarUnit {
    fileprivate var shortestDays: Int {
        switch self {
        case .day: 1
        case .week: 7
        case .month: 28
        }
    }
}

extension Questionnaire {
    /// linkId -> type and codes of the answers that an expression over a complete sheet can name.
    fileprivate var answerTypes: [String: (type: ExpressionType, codes: Set<String>?)] {
        var found: [String: (type: ExpressionType, codes: Set<String>?)] = [:]
        for item in questions where found[item.linkId] == nil {
            if item.isRepeatingGroup {
                found[item.linkId] = (.group, nil)
            } else if let type = item.variableType {
                found[item.linkId] = (type, item.codes)
            }
        }
        return found
    }
}
