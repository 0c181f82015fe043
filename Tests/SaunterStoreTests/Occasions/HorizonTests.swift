import Postgres
import SaunterCore
import Testing

@testable import SaunterStore

@Suite struct HorizonTests {
    @Test func `the plan extends as days pass, and repeating the call changes nothing`() async throws {
        try await StoreFixture.with { fixture in
            let id = try await fixture.enrol().id
            let later = Instant.start.plus(days: 5)

            try await fixture.store.extendHorizon(id, study: fixture.study, now: later)
            let first = try await fixture.evenings(of: id)
            try await fixture.store.extendHorizon(id, study: fixture.study, now: later)

            #expect(first.count == 20)
            #expect(try await fixture.evenings(of: id) == first)
            #expect(try await fixture.store.findEnrolment(id)?.plannedThrough.description == "2026-12-10")
        }
    }

    @Test func `the plan ends with the study`() async throws {
        try await StoreFixture.with { fixture in
            let id = try await fixture.enrol().id
            for day in stride(from: 10, through: 60, by: 10) {
                try await fixture.store.extendHorizon(
                    id, study: fixture.study, now: Instant.start.plus(days: day))
            }

            #expect(try await fixture.evenings(of: id).last?.localDate.description == "2026-12-19")
        }
    }

    @Test func `an occasion whose window closed before it could become visible is not planned`() async throws
    {
        try await StoreFixture.with { fixture in
            let id = try await fixture.enrol().id

            try await fixture.store.extendHorizon(id, study: fixture.study, now: Instant.start.plus(days: 20))

            let dates = try await fixture.evenings(of: id).map(\.localDate.description)
            #expect(!dates.contains("2026-12-06"))
            #expect(dates.contains("2026-12-11"))
        }
    }

    @Test func `active enrolments are listed by the end of their plan`() async throws {
        try await StoreFixture.with { fixture in
            let late = try await fixture.enrol(now: Instant.start.plus(days: 2)).id
            let early = try await fixture.enrol().id
            let withdrawn = try await fixture.enrol().id
            _ = try await fixture.store.withdraw(
                withdrawn, to: .stopped, study: fixture.study, audit: StoreFixture.entry(), now: .start)

            let soon = LocalDate(days: try #require(LocalDate("2026-12-06")).days)
            func listed(_ ahead: Int, after: PlanCursor? = nil, limit: Int = 10) async throws -> [PlanCursor]
            {
                try await fixture.store.listEnrolments(
                    plannedBefore: soon.adding(days: ahead), after: after, limit: limit)
            }
            #expect(try await listed(0).map(\.enrolment) == [early])
            #expect(try await listed(10).map(\.enrolment) == [early, late])
            let first = try await listed(10, limit: 1)
            #expect(first.map(\.enrolment) == [early])
            #expect(try await listed(10, after: first[0], limit: 1).map(\.enrolment) == [late])
        }
    }

    @Test func `concurrent replans of one participant agree`() async throws {
        try await StoreFixture.with(connections: 8) { fixture in
            let id = try await fixture.enrol().id
            try await withThrowingTaskGroup(of: Void.self) { group in
                for day in 0..<8 {
                    group.addTask {
                        try await fixture.store.extendHorizon(
                            id, study: fixture.study, now: Instant.start.plus(days: day))
                    }
                }
                try await group.waitForAll()
            }

            #expect(try await fixture.evenings(of: id).count == 22)
        }
    }

    @Test func `replanning does not move an occasion that a concurrent sheet has fulfilled`()
        async throws
    {
        try await StoreFixture.with { fixture in
            let id = try await fixture.enrol().id
            let tomorrow = try #require(try await fixture.evenings(of: id).dropFirst().first)

            // The sheet commits after the plan was computed and before it is written.
            _ = try await fixture.whileLocked(
                "update research.occasion set completed_at = now(), sheet_id = gen_random_uuid() where occasion_id = $1",
                [.id(tomorrow.id)]
            ) {
                try await fixture.store.updateEnrolment(id, study: fixture.study, now: .start) {
                    $0.zone = Zone("Asia/Tokyo") ?? .utc
                }
            }

            let after = try await fixture.evenings(of: id)
            #expect(after.first { $0.id == tomorrow.id }?.window == tomorrow.window)
            #expect(after.filter { $0.zone.id == "Asia/Tokyo" }.count == 14)
        }
    }
}
