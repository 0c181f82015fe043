import Testing

@testable import SaunterCore

struct RuleSimulationTests {
    @Test func `decisions know nothing of later sheets, and act on the facts`() throws {
        let logs = TailoringVariable(id: "logs", kind: .count, source: .entry(.init(["log"])))
        let reminded = TailoringVariable(
            id: "reminded", kind: .count, source: .message(rule: "remind", .sent))
        let rules = [
            RuleSamples.message("remind", RuleSamples.daily("17:00")) {
                $0.condition = "logs = 0"
                $0.logsAll = true
            },
            DecisionRule(
                code: "begun", point: .reached(.init(condition: "logs >= 1")), action: .event("move")),
            RuleSamples.message("welcome", .after(.init(start: .event("move"), firstAfter: .seconds(7200)))) {
                $0.condition = "reminded = 2"
            },
            RuleSamples.message("opened", .appOpen(.visit)),
        ]
        let facts = try RuleSamples.facts([VariableFacts.Sheet(1, "log", "2026-10-22T10:00:00Z")]) {
            $0.variables.usageEvents = [
                .init(event: "app_opened", happenedAt: try at("2026-10-21T10:00:00Z"), offsetMinutes: 120),
                .init(event: "app_opened", happenedAt: try at("2026-10-21T10:10:00Z"), offsetMinutes: 120),
            ]
        }
        var simulation = RuleSimulation(
            plan: RulePlan(RuleSamples.study(rules, [logs, reminded])), facts: facts)

        let decisions = simulation.run(
            from: try at("2026-10-20T08:00:00Z"), through: try at("2026-10-22T20:00:00Z"))

        #expect(
            decisions.map(\.summary) == [
                "remind 2026-10-20#1 message", "opened visit:2026-10-21T10:00:00.000Z message",
                "remind 2026-10-21#1 message", "begun sheet:\(VariableSamples.sheetID(1)) event",
                "welcome event:move@2026-10-22T10:00:00.000Z#1 message", "remind 2026-10-22#1 when",
            ])
    }

    @Test func `a break mutes messages`() throws {
        let rule = RuleSamples.message("r", RuleSamples.daily("17:00")) { $0.logsAll = true }
        let facts = try RuleSamples.facts {
            $0.variables.breaks = [
                Pause(from: try at("2026-10-21T00:00:00Z"), to: try at("2026-10-22T00:00:00Z"))
            ]
        }
        var simulation = RuleSimulation(plan: RulePlan(RuleSamples.study([rule])), facts: facts)

        let decisions = simulation.run(
            from: try at("2026-10-20T08:00:00Z"), through: try at("2026-10-22T20:00:00Z"))

        #expect(decisions.map(\.outcome) == [.message, .muted, .message])
    }
}
