import Testing

@testable import SaunterCore

/// Variables over active entries and over entries that refer to others, as the commitments of the companion.
@Suite struct VariableEntryTests {
    private static let variables: [TailoringVariable] = [
        .init(id: "goals", kind: .list(activeIn: .thisMonth), source: .entry(.init(["goal"], .item("text")))),
        .init(
            id: "goals_today", kind: .list(activeIn: .today), source: .entry(.init(["goal"], .item("text")))),
        .init(
            id: "done", kind: .count, source: .entry(.init(["goal_done"])), window: .thisMonth, by: .refersTo),
        .init(id: "has_goal", kind: .count, source: .entry(.init(["goal"], isActive: true))),
        .init(id: "text", kind: .latest, source: .entry(.init(["goal"], .item("text"), isActive: true))),
        .init(id: "often", kind: .latest, source: .entry(.init(["goal"], .item("often"), isActive: true))),
        .init(id: "begun", kind: .at(isOldest: false), source: .entry(.init(["goal"], isActive: true))),
        .init(
            id: "done_now", kind: .count, source: .entry(.init(["goal_done"])),
            window: .during(questionnaire: "goal")),
        .init(
            id: "effort_now", kind: .statistic(.mean), source: .entry(.init(["goal_done"], .item("effort"))),
            window: .during(questionnaire: "goal")),
        .init(
            id: "expected", kind: .expression("if(often = 'daily', days_since(begun), days_since(begun) / 7)")
        ),
        .init(id: "done_share", kind: .expression("done_now / expected")),
        .init(id: "kept", kind: .keys(of: "goals"), condition: "done.it > 1"),
        .init(id: "unkept", kind: .keys(of: "goals"), condition: "done.it = 0"),
    ]

    private static func sheets() throws -> [VariableFacts.Sheet] {
        try [
            .init(1, "goal", "2026-10-25T08:00:00Z", ["text": .text("read"), "often": .code("daily")]),
            .init(2, "goal", "2026-11-10T08:00:00Z", ["text": .text("walk"), "often": .code("weekly")]),
            .init(3, "goal_done", "2026-11-01T08:00:00Z", refersTo: 1),
            .init(4, "goal_done", "2026-11-02T08:00:00Z", ["effort": .integer(9)], refersTo: 1),
            .init(5, "goal_done", "2026-11-10T07:59:00Z", ["effort": .integer(1)], refersTo: 1),
            .init(6, "goal_done", "2026-11-12T08:00:00Z", ["effort": .integer(4)], refersTo: 2),
            .init(7, "goal_done", "2026-10-30T08:00:00Z", refersTo: 1),
        ]
    }

    private func summaries(_ sheets: [VariableFacts.Sheet], at now: String) throws -> [String: String] {
        let plan = VariablePlan(VariableSamples.study(Self.variables))
        let values = plan.values(from: try VariableFacts(in: "Europe/Berlin", sheets), at: try at(now))
        return Dictionary(
            values.map { value in
                (value.variable, value.summary.replacing("00000000-0000-4000-8000-00000000000", with: "#"))
            }, uniquingKeysWith: { first, _ in first })
    }

    @Test func `the study is valid`() {
        #expect(
            VariableSamples.study(Self.variables).faults().filter { $0.pointer.hasPrefix("/variables") } == []
        )
    }

    @Test func `variables of the active entry`() throws {
        let found = try summaries(Self.sheets(), at: "2026-11-24T08:00:00Z")

        #expect(found["goals"] == "null n2: #1 read n1, #2 walk n1")
        #expect(found["goals_today"] == "null n1: #2 walk n1")
        #expect(found["done"] == "null n4: #1 3 n3, #2 1 n1")
        #expect(found["has_goal"] == "1 n1")
        #expect(found["text"] == "walk n1")
        #expect(found["begun"] == "2026-11-10T08:00:00.000Z n1 on 2026-11-10")
        // The tick one minute before the entry belongs to the entry before, although the date is the same.
        #expect(found["done_now"] == "1 n1")
        #expect(found["effort_now"] == "4 n1")
        #expect(found["expected"] == "2 n1")
        #expect(found["done_share"] == "0.5 n1")
        #expect(found["kept"] == "[#1] n2: #1 read n1")
        #expect(found["unkept"] == "[] n2: ")
    }

    @Test func `without an active entry counts are 0 and everything else is null`() throws {
        let end = try VariableFacts.Sheet(8, "goal_end", "2026-11-20T08:00:00Z", refersTo: 2)

        let found = try summaries(Self.sheets() + [end], at: "2026-11-24T08:00:00Z")

        #expect(found["has_goal"] == "0 n0")
        #expect(found["text"] == "null n0 too_few")
        #expect(found["done_now"] == "0 n0")
        #expect(found["effort_now"] == "null n0 too_few")
        #expect(found["expected"] == "null n0 too_few")
        #expect(found["done_share"] == "null n0 too_few")
        #expect(found["goals"] == "null n2: #1 read n1, #2 walk n1")
        #expect(found["goals_today"] == "null n0: ")
    }

    @Test func `the deletion of the newest entry makes the entry before active again`() throws {
        var sheets = try Self.sheets()
        sheets[1].deletedAt = try at("2026-11-11T08:00:00Z")

        let found = try summaries(sheets, at: "2026-11-24T08:00:00Z")

        #expect(found["text"] == "read n1")
        #expect(found["goals"] == "null n1: #1 read n1")
        #expect(found["done_now"] == "5 n5")
    }

    @Test func `a division by zero is undefined`() throws {
        let found = try summaries(Self.sheets(), at: "2026-11-10T20:00:00Z")

        #expect(found["expected"] == "0 n1")
        #expect(found["done_share"] == "null n0 undefined")
    }
}
