import Testing

@testable import SaunterCore

@Suite struct ActiveEntriesTests {
    private static let rules: [AnyTimeRule] = [
        AnyTimeRule(questionnaire: "goal", isActiveOne: true, endsWith: "goal_end"), "log",
    ]

    private static func goal(
        _ number: Int, _ completedAt: String, _ questionnaire: String = "goal", of entry: Int? = nil,
        deletedAt: String? = nil
    ) throws -> EntryRecord {
        EntryRecord(
            id: VariableSamples.sheetID(number), questionnaire: questionnaire,
            completedAt: try at(completedAt),
            refersTo: entry.map { VariableSamples.sheetID($0) }, deletedAt: try deletedAt.map { try at($0) })
    }

    /// Number of the entry, why it ended, and the time of day at which it ended.
    private static func summary(_ entries: ActiveEntries) -> [String] {
        entries.episodes.map { episode in
            let end = episode.ended.map { " " + $0.description.dropFirst(11).prefix(5) } ?? ""
            return "\(episode.entry.description.suffix(1)) \(episode.why.rawValue)\(end)"
        }
    }

    @Test func `the newest current entry is active until an end refers to it`() throws {
        let one = try Self.goal(1, "2026-11-01T08:00:00Z")
        let two = try Self.goal(2, "2026-11-01T10:00:00Z")
        let end = try Self.goal(3, "2026-11-01T12:00:00Z", "goal_end", of: 2)
        let log = try Self.goal(4, "2026-11-01T13:00:00Z", "log")

        let open = ActiveEntries(Self.rules, [two, log, one])
        let ended = ActiveEntries(Self.rules, [end, two, one])

        #expect(Self.summary(open) == ["1 replaced 10:00", "2 open"])
        #expect(open.active("goal") == two.id && open.active == [two.id] && open.active("log") == nil)
        #expect(Self.summary(ended) == ["1 replaced 10:00", "2 ended 12:00"])
        #expect(ended.active("goal") == nil)
        #expect(ended.episodes.map(\.endedBy) == [two.id, end.id])
    }

    @Test func `an end that refers to an earlier entry does not end the newest one`() throws {
        let entries = try [
            Self.goal(1, "2026-11-01T08:00:00Z"), Self.goal(2, "2026-11-01T10:00:00Z"),
            Self.goal(3, "2026-11-01T12:00:00Z", "goal_end", of: 1),
        ]

        #expect(Self.summary(ActiveEntries(Self.rules, entries)) == ["1 replaced 10:00", "2 open"])
    }

    @Test func `the earlier of end and successor ends an entry, and the first of several ends`() throws {
        let entries = try [
            Self.goal(1, "2026-11-01T08:00:00Z"), Self.goal(4, "2026-11-01T11:00:00Z", "goal_end", of: 1),
            Self.goal(3, "2026-11-01T09:00:00Z", "goal_end", of: 1), Self.goal(2, "2026-11-01T10:00:00Z"),
        ]

        #expect(Self.summary(ActiveEntries(Self.rules, entries)) == ["1 ended 09:00", "2 open"])
    }

    @Test func `an end that was completed before its entry ends it at once`() throws {
        let entries = try [
            Self.goal(1, "2026-11-01T08:00:00Z"), Self.goal(3, "2026-11-01T07:00:00Z", "goal_end", of: 1),
        ]

        let active = ActiveEntries(Self.rules, entries)

        #expect(Self.summary(active) == ["1 ended 08:00"])
        #expect(active.active.isEmpty)
    }

    @Test func `a deleted entry neither replaces nor ends another`() throws {
        let entries = try [
            Self.goal(1, "2026-11-01T08:00:00Z"),
            Self.goal(2, "2026-11-01T10:00:00Z", deletedAt: "2026-11-01T15:00:00Z"),
            Self.goal(3, "2026-11-01T12:00:00Z", "goal_end", of: 1, deletedAt: "2026-11-01T16:00:00Z"),
        ]

        let active = ActiveEntries(Self.rules, entries)

        #expect(Self.summary(active) == ["1 open", "2 deleted 15:00"])
        #expect(active.active("goal") == VariableSamples.sheetID(1))
    }

    @Test func `two entries of the same instant are ordered by id, in any order of receipt`() throws {
        let entries = try [Self.goal(2, "2026-11-01T08:00:00Z"), Self.goal(1, "2026-11-01T08:00:00Z")]

        #expect(Self.summary(ActiveEntries(Self.rules, entries)) == ["1 replaced 08:00", "2 open"])
        #expect(
            Self.summary(ActiveEntries(Self.rules, entries.reversed())) == ["1 replaced 08:00", "2 open"])
    }

    @Test func `an earlier instant does not know what happened later`() throws {
        let entries = try [
            Self.goal(1, "2026-11-01T08:00:00Z"), Self.goal(2, "2026-11-01T10:00:00Z"),
            Self.goal(3, "2026-11-01T12:00:00Z", "goal_end", of: 2),
        ]

        #expect(
            Self.summary(ActiveEntries(Self.rules, entries, at: try at("2026-11-01T09:00:00Z"))) == ["1 open"]
        )
        #expect(
            Self.summary(ActiveEntries(Self.rules, entries, at: try at("2026-11-01T11:00:00Z")))
                == ["1 replaced 10:00", "2 open"])
    }
}
