/// Expressions over what was found so far.
extension SheetReading {
    /// Whether an expression holds; a blank one does not. Nil when it hangs on a faulty answer.
    func holds(_ expression: Expression) -> Bool? {
        guard !hangsOnFaulty(expression) else { return nil }
        return expression.value(in: scope) == .boolean(true)
    }

    /// Refuses the sheet, or notes a warning, for every constraint that does not hold. One that names a faulty answer is
    /// not judged.
    /// - Parameter group: whose instance was just read; nil for the sheet as a whole.
    mutating func checkConstraints(within group: Int?) {
        for (constraint, expression, within) in index.constraints where within == group {
            guard !hangsOnFaulty(expression), expression.value(in: scope) == .boolean(false) else { continue }
            guard constraint.severity == .error else {
                if !warnings.contains(constraint.key) { warnings.append(constraint.key) }
                continue
            }
            let words = index.questionnaire.text(in: language ?? index.questionnaire.languages.first ?? "")
            faults.add(
                constraint.item.map { at(pointer, $0) } ?? pointer, "constraint_\(constraint.key)",
                words.constraints[constraint.key] ?? "The answers do not fit each other.")
        }
    }

    private func hangsOnFaulty(_ expression: Expression) -> Bool {
        expression.items.contains { name in
            guard let place = index.place(of: name) else { return false }
            // What is faulty in an instance is faulty in the group as a whole.
            let node = index.nodes[place]
            let places =
                node.within == nil || node.within == instance?.group
                ? [place] : [place, node.within ?? place]
            return places.contains { place in
                if case .faulty = findings[place] { return true }
                if case .answer = findings[place] { return shown[place] == nil }
                return false
            }
        }
    }

    private var scope: ExpressionScope {
        ExpressionScope(
            value: { name in
                guard let place = index.place(of: name) else { return .blank }
                let node = index.nodes[place]
                if let within = node.within, within != instance?.group {
                    return .several((repeated[place] ?? []).map(\.expressionValue))
                }
                guard case .answer(let answer) = findings[place] else { return .blank }
                return answer.expressionValue
            }, today: today)
    }
}
