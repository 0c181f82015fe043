extension Study {
    /// The ids of the variables whose value can show the arm of a participant: their definition names an arm, or reads
    /// something that only some arms have. That is an occasion of a schedule for some arms, an entry of a
    /// questionnaire that only such schedules ask, or a message of a rule that reads such a variable. Variables that
    /// are computed from these variables are included.
    /// - Parameter mentions: the names of the arms.
    package func variablesReadingArms(_ mentions: ArmMentions) -> Set<String> {
        var found = Set(
            variables.filter { readsArms($0) || mentions.isNamed(inTextsOf: $0.definition) }.map(\.id))
        // Variables can depend on rules and rules on variables, so this is repeated until nothing is added.
        while true {
            let rules = Set(self.rules.filter { isDecided($0, by: found) }.map(\.code))
            let next = variables.filter { variable in
                if found.contains(variable.id) { return true }
                if case .message(let rule, _)? = variable.source {
                    return rule.map { rules.contains($0) } ?? !rules.isEmpty
                }
                return variable.dependencies.contains { found.contains($0) }
            }
            guard next.count > found.count else { return found }
            found = Set(next.map(\.id))
        }
    }

    private func readsArms(_ variable: TailoringVariable) -> Bool {
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

    private func isOfSomeArms(_ schedule: Schedule) -> Bool {
        !schedule.arms.isEmpty && !arms.allSatisfy { schedule.arms.contains($0.code) }
    }

    /// Whether participants of some arms never answer the questionnaire.
    private func isOfSomeArms(_ questionnaire: String) -> Bool {
        guard !anyTime.contains(where: { $0.questionnaire == questionnaire }),
            !settings.contains(questionnaire)
        else { return false }
        let asking = schedules.filter { $0.questionnaire == questionnaire }
        return !asking.isEmpty
            && !arms.allSatisfy { arm in asking.contains { $0.arms.isEmpty || $0.arms.contains(arm.code) } }
    }

    private func isDecided(_ rule: DecisionRule, by variables: Set<String>) -> Bool {
        rule.variableNames.contains { variables.contains(VariableName($0).id) }
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
