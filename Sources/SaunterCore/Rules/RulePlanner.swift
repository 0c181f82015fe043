/// Computes the decision points and the decisions of one participant. Pure: time, zone and seed are arguments.
package struct RulePlanner: Sendable {
    /// The rules of the version of the study that the participant follows.
    package var plan: RulePlan
    /// Everything about the participant.
    package var facts: RuleFacts

    /// Creates a planner of one participant.
    package init(plan: RulePlan, facts: RuleFacts) {
        self.plan = plan
        self.facts = facts
    }

    /// The points of one rule that follow from time, after `from` and until `through`, in order of time, including
    /// decided ones. Rules with `entry`, `app_open`, or `reached` without `first_after` have none.
    /// - Parameters:
    ///   - code: the code of the rule.
    ///   - now: later facts are ignored. The adaptive time of a date that has not begun is that of the present facts.
    package func points(
        of code: String, from: Instant, through: Instant, at now: Instant
    ) -> [PlannedPoint] {
        guard let rule = plan.rules.first(where: { $0.definition.code == code }) else { return [] }
        return RuleEvaluation(self, at: now).points(of: rule, from: from, through: through)
    }

    /// The decisions at all points that follow from time, after `after` and until `now`. They are sorted by moment,
    /// then in the order of the rules, then of the keys. Each decision counts for the following ones.
    /// - Parameter after: until when the points were decided before. A decision that did nothing is not stored unless
    ///   the rule demands it, so only this parameter prevents that it is made again.
    package func decisions(at now: Instant, after: Instant) -> [RuleDecision] {
        let evaluation = RuleEvaluation(self, at: now)
        var candidates: [RuleCandidate] = []
        for (position, rule) in plan.rules.enumerated() where rule.definition.recipient == .participant {
            let points = evaluation.points(of: rule, from: after, through: now)
            candidates += points.map { RuleCandidate(position: position, rule: rule, point: $0) }
        }
        return evaluation.decisions(candidates)
    }

    /// The decisions of rules with `entry`, and of rules with `reached` without `first_after`, after the commit of a
    /// record.
    /// - Parameters:
    ///   - cause: the record. `facts` contain it.
    ///   - before: the participant's data without it, or with its earlier revision.
    ///   - now: the time of the commit, which is the moment of the points.
    package func decisions(
        after cause: RuleCause, before: VariableFacts, at now: Instant
    ) -> [RuleDecision] {
        let evaluation = RuleEvaluation(self, at: now)
        lazy var earlier: RuleEvaluation = {
            var planner = self
            planner.facts.variables = before
            return RuleEvaluation(planner, at: now)
        }()
        var candidates: [RuleCandidate] = []
        for (position, rule) in plan.rules.enumerated() where rule.definition.recipient == .participant {
            let keys: [String]
            switch rule.definition.point {
            case .entry(let questionnaire) where questionnaire == cause.questionnaire: keys = [""]
            case .reached(let reached) where reached.firstAfter == nil:
                let present = evaluation.keysReached(rule)
                guard !present.isEmpty else { continue }
                let known = Set(earlier.keysReached(rule))
                keys = present.filter { !known.contains($0) }
            default: continue
            }
            let expiresAt = now.adding(seconds: rule.definition.validFor ?? DecisionRule.defaultValidity)
            candidates += keys.map { key in
                RuleCandidate(
                    position: position, rule: rule,
                    point: PlannedPoint(
                        rule: rule.definition.code, point: cause.point, key: key, moment: now,
                        expiresAt: expiresAt))
            }
        }
        return evaluation.decisions(candidates)
    }

    /// The decisions of rules with `app_open` when the app requests prompts. A rule that already has a decision in this
    /// visit, or on this date, is left out; its stored prompt is still valid until it expires.
    package func appOpenDecisions(at now: Instant) -> [RuleDecision] {
        let evaluation = RuleEvaluation(self, at: now)
        let candidates = plan.rules.enumerated().compactMap { position, rule -> RuleCandidate? in
            guard case .appOpen(let visit) = rule.definition.point,
                let point = evaluation.openPoint(of: rule, visit)
            else { return nil }
            return RuleCandidate(position: position, rule: rule, point: point)
        }
        return evaluation.decisions(candidates)
    }

    /// When `decisions(at:after:)` has the next point. An adaptive time is known when its date has begun, so the result
    /// can be the beginning of a date without a point. Nil if there is none until the facts change.
    package func nextCheck(after now: Instant) -> Instant? {
        let evaluation = RuleEvaluation(self, at: now)
        return plan.rules.filter { $0.definition.recipient == .participant }
            .compactMap { evaluation.nextMoment(of: $0) }.min()
    }

    /// The codes of the participant's revocable awards whose condition no longer holds. The caller asks after a
    /// deletion or correction.
    package func revokedAwards(at now: Instant) -> [String] {
        let evaluation = RuleEvaluation(self, at: now)
        var granted: [String: Bool] = [:]
        for rule in plan.rules {
            guard case .award(let award) = rule.definition.action, facts.awards.contains(award.code) else {
                continue
            }
            let holds = !award.isRevocable || evaluation.holds(rule)
            granted[award.code] = granted[award.code] == true || holds
        }
        return granted.filter { !$0.value }.keys.sorted()
    }
}

/// The record after whose commit rules are evaluated.
package struct RuleCause: Sendable, Hashable {
    /// The name of the decision point.
    package let point: String
    /// The code of the sheet's questionnaire; nil for other records.
    package let questionnaire: String?

    /// A sheet.
    package static func sheet(_ id: SheetID, of questionnaire: String) -> RuleCause {
        RuleCause(point: "sheet:\(id)", questionnaire: questionnaire)
    }

    /// A walk, a usage event or an observation.
    /// - Parameter name: the kind and the id, see `PlannedPoint`.
    package static func record(_ name: String) -> RuleCause { RuleCause(point: name, questionnaire: nil) }
}

/// A point that is to be decided.
struct RuleCandidate {
    /// The position of the rule in the study.
    let position: Int
    let rule: PlannedRule
    let point: PlannedPoint
}
