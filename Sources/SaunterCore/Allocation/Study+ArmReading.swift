extension Study {
    /// The ids of the variables whose value can show the arm of a participant: their definition names an arm, or reads
    /// something that only some arms can reach (`ArmReach`). That is an occasion of a schedule, an entry of a
    /// questionnaire, or a message or an event of a rule. Rules that read such a variable count too, and variables that
    /// are computed from these variables are included.
    /// - Parameter mentions: the names of the arms.
    package func variablesReadingArms(_ mentions: ArmMentions) -> Set<String> {
        let reach = ArmReach(self)
        let reachedRules = rules.filter { reach.isOfSomeArms(reach.arms(of: $0)) }
        var found = Set(
            variables.filter { readsArms($0, reach) || mentions.isNamed(inTextsOf: $0.definition) }.map(\.id))
        // Variables can depend on rules and rules on variables, so this is repeated until nothing is added.
        while true {
            let rules = reachedRules + self.rules.filter { isDecided($0, by: found) }
            let next = variables.filter { variable in
                found.contains(variable.id) || variable.reads(rules)
                    || variable.dependencies.contains { found.contains($0) }
            }
            guard next.count > found.count else { return found }
            found = Set(next.map(\.id))
        }
    }

    private func readsArms(_ variable: TailoringVariable, _ reach: ArmReach) -> Bool {
        func isOfSomeArms(_ schedule: Schedule) -> Bool { reach.isOfSomeArms(reach.arms(of: schedule)) }
        func isOfSomeArms(_ questionnaire: String) -> Bool {
            reach.isOfSomeArms(reach.arms(asked: questionnaire))
        }
        var windows = [variable.window]
        switch variable.kind {
        case .list(let window): windows.append(window)
        case .change(_, let since): windows.append(since)
        default: break
        }
        for case .during(let questionnaire)? in windows where isOfSomeArms(questionnaire) { return true }
        return switch variable.source {
        case .entry(let entries): entries.questionnaires.contains { isOfSomeArms($0) }
        case .occasion(nil, _): schedules.contains { isOfSomeArms($0) }
        case .occasion(let id?, _): schedules.contains { $0.id == id && isOfSomeArms($0) }
        case .usage, .message, .walk, .observation, .enrolment, .event, nil: false
        }
    }

    private func isDecided(_ rule: DecisionRule, by variables: Set<String>) -> Bool {
        rule.variableNames.contains { variables.contains(VariableName($0).id) }
    }
}

extension TailoringVariable {
    /// Whether the variable counts messages or events of one of the rules.
    fileprivate func reads(_ rules: [DecisionRule]) -> Bool {
        switch source {
        case .message(let rule, _): rule.map { code in rules.contains { $0.code == code } } ?? !rules.isEmpty
        case .event(let event): rules.contains { $0.action == .event(event) }
        default: false
        }
    }
}

extension DecisionRule {
    /// The names of variables on which it depends whether and when the rule acts.
    fileprivate var variableNames: [String] {
        var names = [condition, reachedCondition].compactMap(\.self).flatMap { source -> [String] in
            do throws(ExpressionFault) {
                return try Expression(source, dialect: .variables).items
            } catch {
                // The check of the study reports the syntax error.
                return []
            }
        }
        switch point {
        case .after(let after): if case .variable(let id) = after.start { names.append(id) }
        case .adaptive(let adaptive): names.append(adaptive.by)
        case .reached(let reached): if let over = reached.over { names.append(over) }
        case .calendar, .perDay, .cycle, .entry, .published, .appOpen: break
        }
        return names
    }
}
