/// Follows one made-up participant over time and makes all decisions, from check to check. Pure.
package struct RuleSimulation {
    private let plan: RulePlan
    private var facts: RuleFacts
    /// Values of settings until the first sheet of their questionnaire.
    private let initialSettings: [String: JSON]
    private var decisions: [RuleDecision] = []

    /// - Parameters:
    ///   - facts: the participant's whole history. A sheet is not known before its completion.
    ///   - initialSettings: linkId -> value that replaces the default of the pack.
    package init(plan: RulePlan, facts: RuleFacts, initialSettings: [String: JSON] = [:]) {
        self.plan = plan
        self.facts = facts
        self.initialSettings = initialSettings
    }

    /// The decisions from `from`, inclusive, until `through`, in order of time, including those that are not stored.
    package mutating func run(from: Instant, through: Instant) -> [RuleDecision] {
        var checked = from.adding(milliseconds: -1)
        let moments = eventMoments(from: from, through: through)
        var upcoming = moments[...]
        while checked < through, decisions.count < Self.maximumDecisions {
            update(at: checked)
            let next = RulePlanner(plan: plan, facts: facts).nextCheck(after: checked)
            let event = upcoming.first
            guard let now = [next, event].compactMap(\.self).min(), now <= through else { break }
            update(at: now)
            add(RulePlanner(plan: plan, facts: facts).decisions(at: now, after: checked), at: now)
            if event == now {
                upcoming = upcoming.dropFirst()
                addRecords(at: now)
            }
            checked = now
        }
        return decisions
    }

    private static let maximumDecisions = 100_000

    /// The moments at which something happens that a rule can depend on, each once.
    private func eventMoments(from: Instant, through: Instant) -> [Instant] {
        let variables = facts.variables
        var moments = variables.sheets.map(\.completedAt) + variables.usageEvents.map(\.happenedAt)
        moments += variables.walks.map(\.startedAt) + variables.observations.map(\.startedAt)
        moments += variables.events.values
        moments += variables.zones.map(\.from) + facts.publications.map(\.publishedAt)
        for pause in variables.breaks { moments += [pause.from] + (pause.to.map { [$0] } ?? []) }
        return Set(moments).filter { from <= $0 && $0 <= through }.sorted()
    }

    private mutating func update(at now: Instant) {
        let (values, since) = plan.study.settings(from: facts.variables.sheets, at: now)
        let initial = initialSettings.filter { since[$0.key] == nil }
        facts.settings = values.merging(initial) { _, own in own }
        facts.settingsSince = since
        let sheets = facts.variables.sheets.current(at: now).filter {
            !plan.study.settings.contains($0.questionnaire)
        }
        let walks = facts.variables.walks.map(\.startedAt).filter { $0 <= now }
        facts.lastActivity = ([sheets.last?.completedAt].compactMap(\.self) + walks).max()
        facts.isMuted = facts.variables.breaks.contains { $0.from <= now && now < ($0.to ?? .maximum) }
    }

    /// Decides after the sheets, usage events, walks and observations of this moment.
    private mutating func addRecords(at now: Instant) {
        let whole = facts.variables
        // The records of this moment become known one after the other.
        facts.variables.sheets.removeAll { $0.completedAt == now }
        facts.variables.usageEvents.removeAll { $0.happenedAt == now }
        facts.variables.walks.removeAll { $0.startedAt == now }
        func decide(_ cause: RuleCause, before: VariableFacts) {
            update(at: now)
            add(
                RulePlanner(plan: plan, facts: facts).decisions(after: cause, before: before, at: now),
                at: now)
        }
        for sheet in whole.sheets where sheet.completedAt == now {
            let before = facts.variables
            facts.variables.sheets.append(sheet)
            guard sheet.revision == 1, sheet.duplicateOf == nil, sheet.deletedAt == nil else { continue }
            decide(.sheet(sheet.id, of: sheet.questionnaire), before: before)
        }
        for (number, walk) in whole.walks.enumerated() where walk.startedAt == now {
            let before = facts.variables
            facts.variables.walks.append(walk)
            decide(.record("walk:\(number)"), before: before)
        }
        for (number, event) in whole.usageEvents.enumerated() where event.happenedAt == now {
            let before = facts.variables
            facts.variables.usageEvents.append(event)
            decide(.record("usage:\(number)"), before: before)
            if event.event == UsageEventKind.appOpened.rawValue {
                add(RulePlanner(plan: plan, facts: facts).appOpenDecisions(at: now), at: now)
            }
        }
        // Rules that acted may have added facts; the order of the records does not matter later.
    }

    /// Adds decisions to the result, and what follows from them to the facts.
    private mutating func add(_ new: [RuleDecision], at now: Instant) {
        for decision in new {
            decisions.append(decision)
            if decision.isLogged {
                facts.decisions.append(
                    RuleFacts.Decision(
                        rule: decision.point.rule, point: decision.point.point, key: decision.point.key,
                        decidedAt: now, outcome: decision.outcome))
            }
            guard decision.outcome.isAction else { continue }
            switch decision.action {
            case .message:
                let sendAt = decision.sendAt ?? now
                facts.messages.append(
                    RuleFacts.Message(
                        rule: decision.point.rule, at: sendAt, countsForDay: decision.countsForDay))
                facts.variables.messages.append(.init(rule: decision.point.rule, sentAt: sendAt))
            case .award(let award): facts.awards.insert(award.code)
            case .event(let code):
                facts.variables.events[code] = min(facts.variables.events[code] ?? now, now)
            case .alert, .report: break
            }
        }
    }
}
