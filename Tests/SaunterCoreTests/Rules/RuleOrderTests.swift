import Testing

@testable import SaunterCore

/// The order of evaluation: the first step that stops a rule is its outcome.
struct RuleOrderTests {
    /// At 17:00 in Berlin.
    private let moment = "2026-11-21T16:00:00Z"
    private let walks = TailoringVariable(id: "walks", kind: .count, source: .walk(nil))

    /// A rule that every step stops, except that some steps are removed.
    private func decision(without steps: Set<RuleOutcome>, logsAll: Bool = true) throws -> RuleDecision? {
        let rule = RuleSamples.message("r", RuleSamples.daily("17:00")) {
            $0.condition = steps.contains(.when) ? "walks = 0" : "walks > 0"
            $0.allowed = "on"
            $0.cooldown = steps.contains(.cooldown) ? nil : 86_400
            $0.tags = ["t"]
            $0.limit = steps.contains(.limit) ? nil : .init(messages: 1, per: 7 * 86_400, among: "t")
            $0.probability = steps.contains(.randomisedOut) ? nil : 0.000_000_1
            $0.validFor = 3600
            $0.logsAll = logsAll
        }
        let study = RuleSamples.study(
            [rule], [walks], most: steps.contains(.dailyCap) ? nil : 1,
            quiet: steps.contains(.quietHours) ? ("21:00", "08:00") : ("16:00", "20:00"))
        let facts = try RuleSamples.facts {
            $0.isMuted = !steps.contains(.muted)
            $0.settings = ["on": .bool(steps.contains(.allowed))]
            $0.messages = [.init(rule: "r", at: try at("2026-11-21T10:00:00Z"))]
        }
        let moment = try at(moment)
        return RuleSamples.planner(study, facts).decisions(
            at: moment.adding(seconds: steps.contains(.expired) ? 0 : 3600), after: moment.adding(seconds: -1)
        ).first
    }

    @Test func `each step comes after the one before`() throws {
        let order: [RuleOutcome] = [
            .muted, .expired, .when, .allowed, .cooldown, .limit, .randomisedOut, .quietHours, .dailyCap,
            .message,
        ]
        for (index, outcome) in order.enumerated() {
            let decision = try #require(try decision(without: Set(order.prefix(index))))

            #expect(decision.outcome == outcome)
            #expect(decision.isAvailable == (index >= 6))
            #expect((decision.draw != nil) == (outcome == .randomisedOut))
            #expect((decision.sendAt != nil) == (outcome == .message))
            #expect(decision.variables["walks"]?.int == 0)
        }
    }

    @Test func `a decision that did nothing is stored only with log or with a draw`() throws {
        let steps: Set<RuleOutcome> = [.muted, .expired]
        #expect(try decision(without: steps, logsAll: true)?.isLogged == true)
        #expect(try decision(without: steps, logsAll: false)?.isLogged == true)
        #expect(try decision(without: steps.union([.randomisedOut]), logsAll: false)?.isLogged == false)
    }

    @Test func `a message waits until the quiet hours end`() throws {
        let rule = RuleSamples.message(
            "r", .after(.init(start: .enrolment, firstAfter: .seconds(12 * 3600))))
        let planner = RuleSamples.planner(RuleSamples.study([rule]), try RuleSamples.facts())

        let decisions = planner.decisions(
            at: try at("2026-10-20T20:00:00Z"), after: try at("2026-10-20T19:59:00Z"))

        #expect(decisions.first?.sendAt == (try at("2026-10-21T06:00:00Z")))
    }

    @Test func `earlier decisions of the same check count`() throws {
        let rules = ["a", "b", "c"].map { code in
            RuleSamples.message(code, RuleSamples.daily("17:00")) {
                $0.tags = ["t"]
                $0.limit = code == "b" ? .init(messages: 1, per: 3600, among: "t") : nil
            }
        }
        let planner = RuleSamples.planner(RuleSamples.study(rules, most: 2), try RuleSamples.facts())

        let decisions = planner.decisions(at: try at(moment), after: try at("2026-11-21T15:00:00Z"))

        #expect(
            decisions.map(\.summary) == [
                "a 2026-11-21#1 message", "b 2026-11-21#1 limit", "c 2026-11-21#1 message",
            ])
    }

    @Test func `points after the last check are decided, and decided points are not repeated`() throws {
        let rule = RuleSamples.message("r", RuleSamples.daily("17:00"))
        let now = try at(moment)
        func outcomes(after: Instant, decided: Bool) throws -> [RuleOutcome] {
            let facts = try RuleSamples.facts {
                if decided {
                    $0.decisions = [
                        .init(rule: "r", point: "2026-11-21#1", key: "", decidedAt: now, outcome: .message)
                    ]
                }
            }
            return RuleSamples.planner(RuleSamples.study([rule]), facts).decisions(at: now, after: after)
                .map(\.outcome)
        }

        #expect(
            try outcomes(after: now.adding(seconds: -86_400 * 2 + 1), decided: false) == [.expired, .message])
        #expect(try outcomes(after: now.adding(seconds: -1), decided: true) == [])
        #expect(try outcomes(after: now, decided: false) == [])
    }

    @Test func `a draw follows the probability and is the same each time`() throws {
        let rule = RuleSamples.message("r", RuleSamples.daily("17:00")) { $0.probability = 0.6 }
        let planner = RuleSamples.planner(RuleSamples.study([rule]), try RuleSamples.facts())

        var done = 0
        for number in 0..<300 {
            let now = try at(moment).adding(seconds: 86_400 * number)
            let decisions = planner.decisions(at: now, after: now.adding(seconds: -7200))
            let again = planner.decisions(at: now, after: now.adding(seconds: -7200))
            #expect(decisions == again)
            let decision = try #require(decisions.first)
            let draw = try #require(decision.draw)
            #expect((draw < 0.6) == (decision.outcome == .message))
            #expect(decision.probability == 0.6 && decision.isAvailable)
            done += decision.outcome == .message ? 1 : 0
        }

        #expect((150...210).contains(done))
    }

    @Test func `an award is granted once unless it is repeatable, also to a muted participant`() throws {
        for (isRepeatable, held, expected) in [
            (false, false, [RuleOutcome.award]), (false, true, []), (true, true, [.award]),
        ] {
            let rule = DecisionRule(
                code: "r", point: RuleSamples.daily("17:00"),
                action: .award(.init(code: "champion", isRepeatable: isRepeatable)))
            let facts = try RuleSamples.facts {
                $0.isMuted = true
                $0.awards = held ? ["champion"] : []
            }

            let decisions = RuleSamples.planner(RuleSamples.study([rule]), facts).decisions(
                at: try at(moment), after: try at("2026-11-21T15:00:00Z"))

            #expect(decisions.map(\.outcome) == expected)
        }
    }

    @Test func `a revocable award is withdrawn when its condition no longer holds`() throws {
        let rule = DecisionRule(
            code: "r", point: .reached(.init(condition: "walks >= 1")),
            action: .award(.init(code: "walker", isRevocable: true)))
        for (walkCount, expected) in [(0, ["walker"]), (1, [])] {
            let facts = try RuleSamples.facts { facts in
                facts.awards = ["walker"]
                facts.variables.walks = try (0..<walkCount).map { _ in
                    .init(startedAt: try at("2026-11-01T10:00:00Z"), offsetMinutes: 60)
                }
            }

            let planner = RuleSamples.planner(RuleSamples.study([rule], [walks]), facts)

            #expect(planner.revokedAwards(at: try at(moment)) == expected)
        }
    }

    @Test func `a message carries the values of its texts and one line per key`() throws {
        let counts = TailoringVariable(
            id: "kinds", kind: .count, source: .entry(.init(["log"])), by: .item("kind"))
        let rule = RuleSamples.message("r", RuleSamples.daily("17:00")) {
            $0.action = .message(.init(target: "walks/{{walks}}", lineFor: "kinds"))
        }
        var study = RuleSamples.study([rule], [walks, counts])
        study.text["en"]?.rules = [
            "r": RuleText(subject: "{{kinds.n}}", body: "{{name}}", line: "{{it}}: {{kinds.it}}")
        ]
        let facts = try RuleSamples.facts([
            VariableFacts.Sheet(1, "log", "2026-11-01T10:00:00Z", ["kind": .code("a")]),
            VariableFacts.Sheet(2, "log", "2026-11-02T10:00:00Z", ["kind": .code("b")]),
            VariableFacts.Sheet(3, "log", "2026-11-03T10:00:00Z", ["kind": .code("b")]),
        ])

        let decision = try #require(
            RuleSamples.planner(study, facts).decisions(
                at: try at(moment), after: try at("2026-11-21T15:00:00Z")
            )
            .first)

        #expect(decision.variables == ["kinds.n": .int(3), "walks": .int(0)])
        #expect(
            decision.lines == [
                RuleLine(key: "a", values: ["it": "a", "kinds.it": .int(1)]),
                RuleLine(key: "b", values: ["it": "b", "kinds.it": .int(2)]),
            ])
    }

    @Test func `the next check is the next point of any rule`() throws {
        let rules = [
            RuleSamples.message("a", RuleSamples.daily("17:00")),
            RuleSamples.message("b", .after(.init(start: .enrolment, firstAfter: .months(6)))),
        ]
        let planner = RuleSamples.planner(RuleSamples.study(rules), try RuleSamples.facts())
        let later = RuleSamples.planner(RuleSamples.study([rules[1]]), try RuleSamples.facts())

        #expect(planner.nextCheck(after: try at(moment)) == (try at("2026-11-22T16:00:00Z")))
        #expect(later.nextCheck(after: try at(moment)) == (try at("2027-04-20T08:00:00Z")))
        #expect(later.nextCheck(after: try at("2027-04-20T08:00:00Z")) == nil)
    }
}
