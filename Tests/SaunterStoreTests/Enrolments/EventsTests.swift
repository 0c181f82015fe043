import SaunterCore
import Testing

@testable import SaunterStore

@Suite struct EventsTests {
    /// Three evenings from the event on, in a phase that it begins.
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
        try await fixture.store.findParticipation(id, now: .start)?.occasions
            .filter { $0.key.schedule == "evening" && $0.setAside == nil }
            .map { String($0.localDate.description.dropFirst(5)) } ?? []
    }

    private func enrol(_ fixture: StoreFixture) async throws -> EnrolmentID {
        let id = try await fixture.enrol().id
        // Of the fixture's own study nothing is left once this one is planned.
        try await fixture.store.extendHorizon(id, study: Self.study, now: .start)
        return id
    }

    @Test func `what counts from an event is planned when it is told, and moves with it`() async throws {
        try await StoreFixture.with { fixture in
            let id = try await enrol(fixture)
            let home = try #require(Self.study.events.first)
            func tell(_ days: Int) async throws -> Bool {
                try await fixture.store.record(
                    home, at: Instant.start.plus(days: days), of: id, study: Self.study, now: .start
                ).isNew
            }
            let before = try await dates(fixture, id)

            let first = try await tell(2)
            let planned = try await dates(fixture, id)
            let second = try await tell(4)
            let moved = try await dates(fixture, id)

            #expect(before == [])
            #expect(first && !second)
            #expect(planned == ["11-23", "11-24", "11-25"])
            #expect(moved == ["11-25", "11-26", "11-27"])
            #expect(try await fixture.store.listEvents(of: id).map(\.code) == ["home"])
        }
    }

    @Test func `the same moment again changes nothing, another is kept beside the first`() async throws {
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

    @Test func `an event that may not be moved is not`() async throws {
        try await StoreFixture.with { fixture in
            let id = try await enrol(fixture)
            let home = StudyEvent(code: "home", update: .immutable)
            _ = try await fixture.store.record(home, at: .start, of: id, study: Self.study, now: .start)

            await #expect(throws: EventFixed.self) {
                try await fixture.store.record(
                    home, at: Instant.start.plus(days: 1), of: id, study: Self.study, now: .start)
            }
            #expect(try await fixture.store.listEvents(of: id).map(\.occurredAt) == [.start])
        }
    }

    @Test func `nobody is looked at at night until something comes that is not planned`() async throws {
        try await StoreFixture.with { fixture in
            let id = try await enrol(fixture)
            func through() async throws -> String? {
                try await fixture.store.findEnrolment(id)?.plannedThrough.description
            }

            #expect(try await through() == "9999-12-31")
            #expect(try await fixture.store.findEnrolment(id)?.nextReminderAt == nil)

            let home = try #require(Self.study.events.first)
            _ = try await fixture.store.record(
                home, at: Instant.start.plus(days: 20), of: id, study: Self.study, now: .start)

            #expect(try await through() == "2026-12-10")
            #expect(
                try await fixture.store.findEnrolment(id)?.nextReminderAt?.description.prefix(10)
                    == "2026-12-11")
        }
    }
}
