import SaunterCore
import Testing

@testable import SaunterStore

@Suite struct EnrolmentSettingsTests {
    @Test func `future windows move to the new zone, and an open window does not change`() async throws {
        try await StoreFixture.with { fixture in
            let enrolment = try await fixture.enrol()
            let now = try at("2026-11-21T19:00:00Z")
            let before = try await fixture.evenings(of: enrolment.id)

            let changed = try await fixture.store.updateEnrolment(
                enrolment.id, study: fixture.study, now: now
            ) {
                $0.zone = Zone("America/New_York") ?? .utc
            }

            let after = try await fixture.evenings(of: enrolment.id)
            #expect(changed.zone.id == "America/New_York")
            #expect(after.map(\.id) == before.map(\.id))
            #expect(after[0] == before[0])
            #expect(after[1].zone.id == "America/New_York")
            #expect(after[1].window.openAt == (try at("2026-11-22T23:00:00Z")))
            #expect(after.dropFirst().allSatisfy { $0.zone.id == "America/New_York" })
        }
    }

    @Test func `every zone is stored with the moment from which it applies`() async throws {
        try await StoreFixture.with { fixture in
            let enrolment = try await fixture.enrol()
            for (hours, id) in [(1, "Asia/Tokyo"), (2, "Asia/Tokyo"), (3, "Europe/Berlin")] {
                _ = try await fixture.store.updateEnrolment(
                    enrolment.id, study: fixture.study, now: Instant.start.plus(hours: hours)
                ) { $0.zone = Zone(id) ?? .utc }
            }

            let zones = try await fixture.store.findParticipantState(enrolment.id, now: .start)?.zones

            #expect(zones?.map(\.zone.id) == ["UTC", "Asia/Tokyo", "Europe/Berlin"])
            #expect(
                zones?.map(\.from) == [.start, Instant.start.plus(hours: 1), Instant.start.plus(hours: 3)])
        }
    }

    @Test func `a pause excludes its windows, and its end reinstates the future ones`() async throws {
        try await StoreFixture.with { fixture in
            let enrolment = try await fixture.enrol()
            let id = enrolment.id

            _ = try await fixture.store.updateEnrolment(id, study: fixture.study, now: .start) {
                $0.pause = .begin
            }
            #expect(try await fixture.evenings(of: id).allSatisfy { $0.exclusion == .paused })

            let end = Instant.start.plus(days: 3)
            _ = try await fixture.store.updateEnrolment(id, study: fixture.study, now: end) {
                $0.pause = .end
            }

            let evenings = try await fixture.evenings(of: id)
            #expect(evenings.prefix(3).allSatisfy { $0.exclusion == .paused })
            #expect(evenings.dropFirst(3).allSatisfy { $0.exclusion == nil })
            #expect(evenings.count == 18)
            let pauses = try await fixture.store.findParticipantState(id, now: end)?.pauses
            #expect(pauses == [Pause(from: .start, to: end)])
        }
    }

    @Test func `a pause that is started twice is one pause, and another can follow in the same millisecond`()
        async throws
    {
        try await StoreFixture.with { fixture in
            let enrolment = try await fixture.enrol()
            for change in [EnrolmentSettings.PauseChange.begin, .begin, .end, .begin] {
                _ = try await fixture.store.updateEnrolment(enrolment.id, study: fixture.study, now: .start) {
                    $0.pause = change
                }
            }

            let pauses = try await fixture.store.findParticipantState(enrolment.id, now: .start)?.pauses
            #expect(pauses == [Pause(from: .start)])
        }
    }

    @Test func `the participant chooses the time of the mail, and off means never`() async throws {
        try await StoreFixture.with { fixture in
            let id = try await fixture.enrol().id
            func update(_ change: @Sendable (inout EnrolmentSettings) -> Void) async throws -> Instant? {
                try await fixture.store.updateEnrolment(id, study: fixture.study, now: .start, change: change)
                    .nextReminderAt
            }

            #expect(
                try await update { $0.reminderAt = StudyFixture.hour(9) } == (try at("2026-11-21T09:00:00Z")))
            #expect(try await update { $0.remindersOn = false } == nil)
            #expect(try await update { $0.remindersOn = true } == (try at("2026-11-21T09:00:00Z")))
            #expect(try await update { $0.reminderAt = nil } == (try at("2026-11-21T19:00:00Z")))
        }
    }

    @Test func `after a move to the west a withdrawal includes the last planned day`() async throws {
        try await StoreFixture.with { fixture in
            let now = try at("2026-11-21T12:00:00Z")
            let enrolment = try await fixture.enrol(now: now, zone: try zone("Pacific/Kiritimati"))
            #expect(enrolment.plannedThrough.description == "2026-12-06")
            _ = try await fixture.store.updateEnrolment(
                enrolment.id, study: fixture.study, now: now.plus(hours: 1)
            ) {
                $0.zone = Zone("Pacific/Pago_Pago") ?? .utc
            }

            _ = try await fixture.store.withdraw(
                enrolment.id, to: .stopped, study: fixture.study, audit: StoreFixture.entry(),
                now: now.plus(hours: 2))

            let left = try await fixture.evenings(of: enrolment.id).filter { $0.exclusion == nil }
            #expect(left.map(\.localDate.description) == [])
        }
    }

    @Test func `concurrent changes of one participant are applied one after the other`() async throws {
        try await StoreFixture.with(connections: 8) { fixture in
            let id = try await fixture.enrol().id
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<12 {
                    group.addTask {
                        _ = try await fixture.store.updateEnrolment(
                            id, study: fixture.study, now: Instant.start.adding(seconds: number)
                        ) { settings in
                            switch number % 3 {
                            case 0: settings.language = "de"
                            case 1: settings.reminderAt = StudyFixture.hour(9)
                            default: settings.zone = Zone("Asia/Tokyo") ?? .utc
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }

            let stored = try #require(try await fixture.store.findEnrolment(id))
            #expect(stored.language == "de")
            #expect(stored.reminderAt == StudyFixture.hour(9))
            #expect(stored.zone.id == "Asia/Tokyo")
        }
    }
}
