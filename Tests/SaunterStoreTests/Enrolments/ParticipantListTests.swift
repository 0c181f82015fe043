import Foundation
import Postgres
import SaunterCore
import Testing

@testable import SaunterStore

/// Lists of participants with filters and orders.
@Suite struct ParticipantListTests {
    /// Participants `PA-1`, `PB-2` … in the order of the enrolment, one hour apart.
    private static func enrol(_ names: [String], _ fixture: StoreFixture) async throws -> [EnrolmentID] {
        try await fixture.publish()
        var ids: [EnrolmentID] = []
        for (index, name) in names.enumerated() {
            let draft = fixture.draft(try await fixture.makeAccount(), participant: name)
            ids.append(
                try await fixture.store.enrol(draft, now: Instant.start.plus(hours: index)).enrolment.id)
        }
        return ids
    }

    private static func names(
        _ fixture: StoreFixture, by sort: String = "participant_id", at now: Instant = .start,
        limit: Int = 100, _ ranking: ParticipantOrder.Ranking = .init(),
        _ change: (inout ParticipantFilter) -> Void = { _ in }
    ) async throws -> [String] {
        var filter = ParticipantFilter()
        change(&filter)
        let order = try #require(ParticipantOrder(sort))
        var (found, position) = ([String](), ParticipantOrder.Position?.none)
        repeat {
            let page = try await fixture.store.listParticipants(
                "walks", filter, by: order, ranking, after: position, limit: limit, at: now)
            found += page.map(\.row.participantID)
            position = page.last?.position
        } while position != nil
        return found
    }

    @Test(arguments: [1, 2, 5])
    func `the pages of every order are one sorted list, and those without a sheet are last`(limit: Int)
        async throws
    {
        try await StoreFixture.with { fixture in
            let ids = try await Self.enrol(["PC", "PA", "PE", "PB", "PD"], fixture)
            _ = try await fixture.store.submit([
                .make(ids[1], receivedAt: Instant.start.plus(hours: 9)),
                .make(ids[1], receivedAt: Instant.start.plus(hours: 7)),
                .make(ids[2], receivedAt: Instant.start.plus(hours: 8)),
                .make(ids[3], receivedAt: Instant.start.plus(hours: 8)),
            ])

            func list(_ sort: String) async throws -> [String] {
                try await Self.names(fixture, by: sort, limit: limit)
            }
            #expect(try await list("participant_id") == ["PA", "PB", "PC", "PD", "PE"])
            #expect(try await list("-participant_id") == ["PE", "PD", "PC", "PB", "PA"])
            #expect(try await list("enrolled_at") == ["PC", "PA", "PE", "PB", "PD"])
            #expect(try await list("-enrolled_at") == ["PD", "PB", "PE", "PA", "PC"])
            #expect(try await list("last_sheet_at") == ["PB", "PE", "PA", "PC", "PD"])
            #expect(try await list("-last_sheet_at") == ["PA", "PB", "PE", "PC", "PD"])
        }
    }

    /// The percentages repeat, so a page often ends between two participants with the same one.
    @Test(arguments: [1, 2, 3, 100])
    func `the order by adherence is that of the rounded percentages, and those without one are last`(
        limit: Int
    ) async throws {
        try await StoreFixture.with { fixture in
            let names = ["PC", "PA", "PE", "PB", "PD", "PG", "PF"]
            let ids = try await Self.enrol(names, fixture)
            for (id, answered) in zip(ids, [3, 1, 3, 0, 1, 3, 0]) {
                try await fixture.run(
                    """
                    update research.occasion set completed_at = due_at, sheet_id = gen_random_uuid()
                    where enrolment_id = $1 and occasion_id in (
                      select occasion_id from research.occasion where enrolment_id = $1 order by close_at limit $2)
                    """, [.id(id), .int(answered)])
            }
            // Answered although it was cancelled, and unanswered and paused: the first counts, the second does not.
            try await fixture.run(
                "update research.occasion set set_aside = 'cancelled' where enrolment_id = $1", [.id(ids[0])])
            try await fixture.run(
                "update research.occasion set set_aside = 'paused' where enrolment_id = $1", [.id(ids[6])])
            let now = Instant.start.plus(days: 9)
            var percents: [String: Double] = [:]
            for (name, id) in zip(names, ids) {
                percents[name] = Adherence(occasions: try await fixture.occasions(of: id), at: now).adherence
            }

            func sorted(_ isBefore: (Double, Double) -> Bool) -> [String] {
                names.sorted { first, second in
                    switch (percents[first], percents[second]) {
                    case (let one?, let other?): one == other ? first < second : isBefore(one, other)
                    case (nil, nil): first < second
                    case (let one, _): one != nil
                    }
                }
            }
            #expect(percents["PC"] == 100 && percents["PF"] == nil && percents["PE"] == percents["PG"])
            #expect(Set(percents.values).count == 4)
            #expect(try await Self.names(fixture, by: "adherence", at: now, limit: limit) == sorted(<))
            #expect(try await Self.names(fixture, by: "-adherence", at: now, limit: limit) == sorted(>))
            // At the start no window has closed, so only the answered occasions count.
            #expect(
                try await Self.names(fixture, by: "-adherence", limit: limit)
                    == ["PA", "PC", "PD", "PE", "PG", "PB", "PF"])
        }
    }

    @Test(arguments: [1, 2, 100])
    func `orders by arm, state, day, missing records and problems`(limit: Int) async throws {
        try await StoreFixture.with { fixture in
            let ids = try await Self.enrol(["PA", "PB", "PC", "PD"], fixture)
            _ = try await fixture.withdraw(ids[0], .stopped, now: .start)
            try await fixture.run(
                "update research.enrolment set enrolled_on = enrolled_on - 30 where enrolment_id = $1",
                [.id(ids[1])])
            for (index, numbers) in [(2, [1, 4]), (3, [1, 3])] as [(Int, [Int64])] {
                try await fixture.store.recordSequences(
                    DeviceID(UUID()), of: ids[index], sequences: numbers, now: .start)
            }
            try await fixture.run(
                "update research.enrolment set arm = case when enrolment_id = any ($1) then 'zebra' else 'ant' end",
                [.ids([ids[1], ids[2]])])
            var ranking = ParticipantOrder.Ranking()
            ranking.arms = ["zebra", "ant"]
            ranking.lastDay = 28
            ranking.numbers = [ids[3]: 2, ids[0]: 1]

            func list(_ sort: String) async throws -> [String] {
                try await Self.names(
                    fixture, by: sort, at: Instant.start.plus(days: 1), limit: limit, ranking)
            }
            #expect(try await list("arm") == ["PB", "PC", "PA", "PD"])
            #expect(try await list("-arm") == ["PA", "PD", "PB", "PC"])
            // PD never started, PC takes part, PB has finished, and PA stopped.
            #expect(try await list("state") == ["PD", "PC", "PB", "PA"])
            #expect(try await list("-state") == ["PA", "PB", "PC", "PD"])
            #expect(try await list("study_day") == ["PA", "PC", "PD", "PB"])
            #expect(try await list("-study_day") == ["PB", "PC", "PD", "PA"])
            #expect(try await list("unsent") == ["PD", "PC", "PA", "PB"])
            #expect(try await list("-unsent") == ["PC", "PD", "PA", "PB"])
            #expect(try await list("trouble") == ["PA", "PD", "PB", "PC"])
            #expect(try await list("-trouble") == ["PD", "PA", "PB", "PC"])
        }
    }

    @Test func `a participant who enrols between two pages neither repeats nor hides another one`()
        async throws
    {
        try await StoreFixture.with { fixture in
            _ = try await Self.enrol(["PB", "PD"], fixture)
            let order = try #require(ParticipantOrder("participant_id"))

            let first = try await fixture.store.listParticipants(
                "walks", ParticipantFilter(), by: order, after: nil, limit: 1, at: .start)
            for name in ["PA", "PC"] {
                let draft = fixture.draft(try await fixture.makeAccount(), participant: name)
                _ = try await fixture.store.enrol(draft, now: .start)
            }
            let second = try await fixture.store.listParticipants(
                "walks", ParticipantFilter(), by: order, after: first.last?.position, limit: 9, at: .start)

            #expect((first + second).map(\.row.participantID) == ["PB", "PC", "PD"])
        }
    }

    @Test func `each filter limits the list, and excluded participants are never in it`() async throws {
        try await StoreFixture.with { fixture in
            let ids = try await Self.enrol(["PA1", "PA2", "PB1", "PB2"], fixture)
            _ = try await fixture.withdraw(ids[1], .stopped, now: .start)
            _ = try await fixture.withdraw(ids[3], .excluded, now: .start)
            let arms = Dictionary(
                uniqueKeysWithValues: try await fixture.store.listParticipants(
                    "walks", ParticipantFilter(), by: try #require(ParticipantOrder("participant_id")),
                    after: nil, limit: 9, at: .start
                ).map { ($0.row.participantID, $0.row.arm) })
            let today = Zone.utc.local(of: .start).date

            #expect(try await Self.names(fixture) == ["PA1", "PA2", "PB1"])
            #expect(try await Self.names(fixture) { $0.pseudonym = "pa" } == ["PA1", "PA2"])
            #expect(try await Self.names(fixture) { $0.pseudonym = "A" } == [])
            #expect(try await Self.names(fixture) { $0.pseudonym = "P%" } == [])
            #expect(try await Self.names(fixture) { $0.state = .stopped } == ["PA2"])
            #expect(try await Self.names(fixture) { $0.state = .active } == ["PA1", "PB1"])
            for arm in Set(arms.values) {
                #expect(
                    try await Self.names(fixture) { $0.arm = arm }
                        == arms.filter { $0.value == arm }.keys.sorted())
            }
            #expect(try await Self.names(fixture) { $0.enrolledFrom = today }.count == 3)
            #expect(try await Self.names(fixture) { $0.enrolledFrom = today.adding(days: 1) } == [])
            #expect(try await Self.names(fixture) { $0.enrolledTo = today }.count == 3)
            #expect(try await Self.names(fixture) { $0.enrolledTo = today.adding(days: -1) } == [])
            #expect(try await Self.names(fixture) { $0.enrolments = [ids[2]] } == ["PB1"])
            #expect(try await Self.names(fixture) { $0.enrolments = [] } == [])
        }
    }

    @Test func `a participant has finished after the last day, by the local date`() async throws {
        try await StoreFixture.with { fixture in
            _ = try await Self.enrol(["PA"], fixture)
            let lastDay = Instant.start.plus(days: 28)

            func finished(_ now: Instant) async throws -> [String] {
                try await Self.names(fixture, at: now) { $0.finishedAfter = 28 }
            }
            #expect(try await finished(lastDay) == [])
            #expect(try await finished(lastDay.plus(days: 1)) == ["PA"])
        }
    }
}
