import Foundation
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

struct ArrivalRuleTests {
    @Test func `walks that arrive together reach a condition once`() throws {
        let walks = TailoringVariable(id: "walks", kind: .count, source: .walk(nil))
        let rule = DecisionRule(
            code: "walker", point: .reached(.init(condition: "walks >= 2")), action: .event("move"))
        let ids = (1...3).map { _ in UUID() }
        let facts = try RuleSamples.facts {
            $0.variables.walks = try ids.enumerated().map { number, id in
                .init(
                    startedAt: try at("2026-10-2\(number)T10:00:00Z"), offsetMinutes: 120,
                    arrival: .init("walk", id, at: try at("2026-10-24T1\(number):00:00Z")))
            }
        }
        func decisions(after moment: String, records: [UUID]) throws -> [String] {
            var planner = RuleSamples.planner(RuleSamples.study([rule], [walks]), facts)
            return planner.decisions(
                at: try at("2026-10-24T14:00:00Z"), after: try at(moment), sheets: [], records: Set(records)
            ).map(\.summary)
        }

        let last = ids[2].uuidString.lowercased()
        #expect(try decisions(after: "2026-10-24T09:00:00Z", records: ids) == ["walker walk:\(last) event"])
        #expect(try decisions(after: "2026-10-24T13:00:00Z", records: [ids[2]]) == [])
    }

    @Test func `a setting makes no points before its change`() throws {
        let perDay = DecisionPoint.PerDay(
            count: .setting("number"), from: try time("09:00"), to: try time("21:00"))
        let rule = RuleSamples.message("r", .perDay(perDay))
        let facts = try RuleSamples.facts {
            $0.settings = ["number": .int(2)]
            $0.settingsSince = ["number": try at("2026-10-21T13:00:00Z")]
        }

        let points = try RuleSamples.points(
            rule, facts, from: "2026-10-20T08:00:00Z", through: "2026-10-22T20:00:00Z")

        #expect(
            points == [
                "2026-10-21 18:00 2026-10-21#2", "2026-10-22 12:00 2026-10-22#1",
                "2026-10-22 18:00 2026-10-22#2",
            ])
    }

    @Test func `a condition that two sheets of one moment make true has one point`() throws {
        let logs = TailoringVariable(id: "logs", kind: .count, source: .entry(.init(["log"])))
        let rule = DecisionRule(
            code: "two", point: .reached(.init(condition: "logs >= 2", firstAfter: .seconds(3600))),
            action: .event("move"))
        let facts = try RuleSamples.facts([
            VariableFacts.Sheet(1, "log", "2026-10-21T10:00:00Z"),
            VariableFacts.Sheet(2, "log", "2026-10-21T10:00:00Z"),
        ])

        let points = try RuleSamples.points(
            rule, facts, from: "2026-10-20T08:00:00Z", through: "2026-10-22T20:00:00Z", variables: [logs])

        #expect(points == ["2026-10-21 13:00 sheet:\(VariableSamples.sheetID(2))"])
    }
}
