/// The decision rules of a study, prepared for many participants.
package struct RulePlan: Sendable {
    /// The version of the study.
    package let study: Study
    /// The tailoring variables that conditions and texts name.
    package let variables: VariablePlan
    let rules: [PlannedRule]
    /// What a loader must read for `RuleFacts.variables`, without the sheets of settings. Facts that are not named here
    /// may be left out.
    package let needs: VariablePlan.Needs

    /// Prepares the rules. The study must be valid, see `Study.faults()`.
    package init(_ study: Study) {
        self.study = study
        variables = VariablePlan(study)
        let rules = study.rules.map { PlannedRule($0, study) }
        var needs = variables.needs(for: rules.flatMap(\.variables))
        for rule in rules { needs.formUnion(rule.needs) }
        self.rules = rules
        self.needs = needs
    }

    /// The questionnaires whose answers can alert the staff of the study at once: their sheets are decision points of
    /// rules with the action `alert`.
    package var alertQuestionnaires: Set<String> {
        rules.reduce(into: []) { found, rule in
            guard case .alert = rule.definition.action else { return }
            switch rule.definition.point {
            case .entry(let questionnaire): found.insert(questionnaire)
            case .reached: found.formUnion(variables.needs(for: rule.variables).questionnaires)
            case .after, .calendar, .perDay, .adaptive, .cycle, .published, .appOpen: break
            }
        }
    }

    /// The points of the rules for the administrators of groups, after `from` and until `through`, in order of time.
    /// They follow from the study's zone alone.
    package func groupPoints(from: Instant, through: Instant) -> [PlannedPoint] {
        let points = rules.filter { $0.definition.recipient == .groupAdmins }.flatMap { rule in
            DatedPoints(
                rule: rule.definition, clock: RuleClock(study.zone), settings: RuleSettings(values: [:]),
                enrolledOn: .minimum
            ).points(from: from, through: through)
        }
        return points.sorted { ($0.moment, $0.rule, $0.point) < ($1.moment, $1.rule, $1.point) }
    }
}

/// A rule with its parsed expressions.
struct PlannedRule: Sendable {
    let definition: DecisionRule
    let condition: Expression?
    /// The condition of `reached`.
    let reached: Expression?
    /// The names in the conditions and in the texts of all languages, each once, except in `line`.
    let names: [String]
    /// The names in the texts `line` of all languages, each once.
    let lineNames: [String]

    init(_ rule: DecisionRule, _ study: Study) {
        definition = rule
        condition = rule.condition.flatMap { Self.expression($0) }
        if case .reached(let point) = rule.point {
            reached = Self.expression(point.condition)
        } else {
            reached = nil
        }
        let texts = study.languages.compactMap { study.text[$0]?.rules[rule.code] }
        let templates = texts.flatMap { [$0.subject, $0.body] } + [rule.message?.target].compactMap(\.self)
        let ids = Set(study.variables.map(\.id))
        func known(_ names: [String]) -> [String] {
            var seen: Set<String> = []
            return names.map { $0 == "it.code" ? VariableName.it : $0 }.filter { name in
                let id = VariableName(name).id
                return (id == VariableName.it || ids.contains(id)) && seen.insert(name).inserted
            }
        }
        let elements = rule.point.elements
        let hasKeys = elements.literal != nil || elements.variable != nil
        names = known(
            (condition?.items ?? []) + (reached?.items ?? [])
                + templates.flatMap { TextTemplate.names(in: $0) }
        ).filter { hasKeys || !VariableName($0).needsKey }
        lineNames = known(texts.flatMap { $0.line.map { TextTemplate.names(in: $0) } ?? [] })
    }

    /// Nil for an expression with a syntax error, which `Study.faults()` rejects.
    private static func expression(_ source: String) -> Expression? {
        do throws(ExpressionFault) {
            return try Expression(source, dialect: .variables)
        } catch {
            return nil
        }
    }

    /// The ids of the variables that the rule needs.
    var variables: [String] {
        var ids = (names + lineNames).map { VariableName($0).id }
        if let list = definition.message?.lineFor { ids.append(list) }
        switch definition.point {
        case .after(let after):
            if case .variable(let id) = after.start { ids.append(id) }
        case .adaptive(let adaptive): ids.append(adaptive.by)
        case .reached(let reached):
            if let over = reached.over { ids.append(over) }
        case .calendar, .perDay, .cycle, .entry, .published, .appOpen: break
        }
        return ids
    }

    /// What the decision point needs besides variables.
    var needs: VariablePlan.Needs {
        var needs = VariablePlan.Needs()
        guard case .after(let after) = definition.point else { return needs }
        switch after.start {
        case .firstCompletion(let code), .lastCompletion(let code): needs.questionnaires.insert(code)
        case .event: needs.events = true
        case .inactive: needs.breaks = true
        case .enrolment, .variable: break
        }
        return needs
    }
}

extension VariableName {
    /// Whether the name has a value only at a key.
    var needsKey: Bool { id == Self.it || member == Self.it }
}

extension TextTemplate {
    /// The names of the placeholders in a template, in order, with duplicates.
    static func names(in template: String) -> [String] {
        var names: [String] = []
        var rest = template[...]
        while let open = rest.firstRange(of: "{{") {
            rest = rest[open.upperBound...]
            guard let close = rest.firstRange(of: "}}") else { break }
            names.append(rest[..<close.lowerBound].filter { $0 != " " })
            rest = rest[close.upperBound...]
        }
        return names
    }
}
