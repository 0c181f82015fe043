import SaunterCore
import Testing

@testable import SaunterStore

@Suite struct EventsTests {
    /// Three evenings from the event, in a phase that the event starts.
    private static let study: Study = {
        var study = StudyFixture.study
        study.events = [StudyEvent(code: "home", update: .mutable)]
        study.phases = [Phase(code: "home", start: .event("home"), end: .length(days: 3))]
        study.schedules = [
            Schedule(
                id: "evening", questionnaire: "daily_evening", anchor: .phase("home"),
                recurrence: .every(days: 1, untilDay: 20), phase: "home",
                slots: [
                    Slot(opening: .fixed(StudyFixture.hour(18)), dueAfter: 3 * 3600, closeAfter: 6 * 3600)
                ])
        ]
        return study
    }()

    private func dates(_ fixture: StoreFixture, _ id: EnrolmentID) async throws -> [String] {
        try await fixture.store.findParticipantState(id, now: .start)?.occasions
            .filter { $0.key.schedule == "evening" && $0.exclusion == nil }
            .map { String($0.localDate.description.dropFirst(5)) } ?? []
    }

    private func enrol(_ fixture: StoreFixture) async throws -> EnrolmentID {
        let id = try await fixture.enrol().id
        // No occasion of the fixture's own study remains after this one is planned.
        try await fixture.store.extendHorizon(id, study: Self.study, now: .start)
        return id
    }

    @Test func `occasions that depend on an event are planned when it is recorded, and move with it`()
        async throws
    {
        try await StoreFixture.with { fixture in
            let id = try await enrol(fixture)
            let home = try #require(Self.study.events.first)
            func record(_ days: Int) async throws -> Bool {
                try await fixture.store.record(
                    home, at: Instant.start.plus(days: days), of: id, study: Self.study, now: .start
                ).isNew
            }
            let before = try await dates(fixture, id)

            let first = try await record(2)
            let planned = try await dates(fixture, id)
            let second = try await record(4)
            let moved = try await dates(fixture, id)

            #expect(before == [])
            #expect(first && !second)
            #expect(planned == ["11-23", "11-24", "11-25"])
            #expect(moved == ["11-25", "11-26", "11-27"])
            #expect(try await fixture.store.listEvents(of: id).map(\.code) == ["home"])
        }
    }

    @Test
    func `recording the same moment again changes nothing, and another moment is stored with the first`()
        async throws
    {
        try await StoreFixture.with { fixture in
            let id = try await enrol(fixture)
            let home = try #require(Self.study.events.first)
            for days in [2, 2, 3, 3] {
                _ = try await fixture.store.record(
                    home, at: Instant.start.plus(days: days), of: id, study: Self.study, now: .start)
            }

            #expect(try await fixture.count("research.enrolment_event") == 2)
            #expect(
                try await fixture.store.listEvents(of: id).map(\.occurredAt) == [Instant.start.plus(days: 3)])
        }
    }

    @Test func `an immutable event cannot be moved`() async throws {
        try await StoreFixture.with { fixture in
            let id = try await enrol(fixture)
            let home = StudyEvent(code: "home", update: .immutable)
            _ = try await fixture.store.record(home, at: .start, of: id, study: Self.study, now: .start)

            await #expect(throws: ImmutableEvent.self) {
                try await fixture.store.record(
                    home, at: Instant.start.plus(days: 1), of: id, study: Self.study, now: .start)
            }
            #expect(try await fixture.store.listEvents(of: id).map(\.occurredAt) == [.start])
        }
    }

    @Test func `no check of reminders is scheduled before an event creates occasions`() async throws {
        try await StoreFixture.with { fixture in
            let id = try await enrol(fixture)
            func plannedThrough() async throws -> String? {
                try await fixture.store.findEnrolment(id)?.plannedThrough.description
            }

            #expect(try await plannedThrough() == "9999-12-31")
            #expect(try await fixture.store.findEnrolment(id)?.nextReminderAt == nil)

            let home = try #require(Self.study.events.first)
            _ = try await fixture.store.record(
                home, at: Instant.start.plus(days: 20), of: id, study: Self.study, now: .start)

            #expect(try await plannedThrough() == "2026-12-10")
            #expect(
                try await fixture.store.findEnrolment(id)?.nextReminderAt?.description.prefix(10)
                    == "2026-12-11")
        }
    }
}
