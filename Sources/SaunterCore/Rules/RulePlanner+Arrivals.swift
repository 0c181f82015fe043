/// An evaluation of the rules of a participant: what is due since the last one. The server and simulations share it.
extension RulePlanner {
    /// The decisions at the points since the last evaluation, and then those after each sheet that arrived since. Each
    /// decision counts for the following ones; afterwards `facts` contain all of them.
    /// - Parameters:
    ///   - after: until when the points were decided before.
    ///   - sheets: the new sheets in the order of arrival. `facts` contain them.
    package mutating func decisions(
        at now: Instant, after: Instant, sheets: [(id: SheetID, questionnaire: String)]
    ) -> [RuleDecision] {
        let variables = facts.variables
        var made = decisions(at: now, after: after)
        facts.add(made)
        for (index, sheet) in sheets.enumerated() {
            // The sheets became known one after the other.
            let later = Set(sheets[(index + 1)...].map(\.id))
            facts.variables = variables.without(later)
            let decided = decisions(
                after: .sheet(sheet.id, of: sheet.questionnaire),
                before: variables.without(later.union([sheet.id])), at: now)
            facts.add(decided)
            made += decided
        }
        facts.variables = variables
        return made
    }
}

extension VariableFacts {
    /// The facts without some sheets.
    fileprivate func without(_ ids: Set<SheetID>) -> VariableFacts {
        guard !ids.isEmpty else { return self }
        var facts = self
        facts.sheets.removeAll { ids.contains($0.id) }
        return facts
    }
}

extension RuleFacts {
    /// Adds decisions that were just made, so that they count for the following ones.
    package mutating func add(_ made: [RuleDecision]) {
        for decision in made {
            decisions.append(
                Decision(
                    rule: decision.point.rule, point: decision.point.point, key: decision.point.key,
                    decidedAt: decision.decidedAt, outcome: decision.outcome))
            switch decision.outcome {
            case .message:
                messages.append(
                    Message(
                        rule: decision.point.rule, at: decision.sendAt ?? decision.decidedAt,
                        countsForDay: decision.countsForDay))
            case .award: if case .award(let award) = decision.action { awards.insert(award.code) }
            default: break
            }
        }
    }
}
