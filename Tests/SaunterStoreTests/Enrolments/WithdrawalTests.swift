import Foundation
import SaunterCore
import Testing

@testable import SaunterStore

@Suite struct WithdrawalTests {
    static let leaving = Instant.start.plus(days: 2)

    @Test func `a participant who stops gets no reminders, and the data is kept`() async throws {
        try await StoreFixture.with { fixture in
            let id = try await fixture.enrol().id

            let ended = try await fixture.withdraw(id, .stopped)

            #expect(ended.state == .stopped)
            #expect(ended.endedAt == Self.leaving)
            #expect(ended.nextReminderAt == nil)
            let evenings = try await fixture.evenings(of: id)
            #expect(evenings.prefix(2).allSatisfy { $0.exclusion == nil })
            #expect(evenings.dropFirst(2).allSatisfy { $0.exclusion == .withdrawn })
            #expect(evenings.count == 15)
        }
    }

    @Test func `repeating a withdrawal changes nothing, and the audit has one entry`() async throws {
        try await StoreFixture.with { fixture in
            let id = try await fixture.enrol().id
            _ = try await fixture.withdraw(id, .stopped)

            let again = try await fixture.withdraw(id, .stopped, now: Self.leaving.plus(days: 1))

            #expect(again.endedAt == Self.leaving)
            let lines: [String] = try await fixture.values(
                "select action as value from audit.entry order by entry_id")
            #expect(lines == ["enrolled", "withdrawn"])
        }
    }

    @Test func `a stopped enrolment can be excluded, but not the reverse`() async throws {
        try await StoreFixture.with { fixture in
            let id = try await fixture.enrol().id
            _ = try await fixture.withdraw(id, .stopped)
            let excluded = try await fixture.withdraw(id, .excluded, now: Self.leaving.plus(days: 1))
            let back = try await fixture.withdraw(id, .stopped, now: Self.leaving.plus(days: 2))

            #expect(excluded.state == .excluded)
            #expect(excluded.endedAt == Self.leaving)
            #expect(back.state == .excluded)
        }
    }

    @Test func `a sheet completed before the withdrawal is accepted`() async throws {
        try await StoreFixture.with { fixture in
            let id = try await fixture.enrol().id
            let evening = try #require(try await fixture.evenings(of: id).first)
            _ = try await fixture.withdraw(id, .stopped)

            let receipt = try await fixture.store.submit([.make(id, evening.id)])

            #expect(receipt == [.stored])
        }
    }

    @Test func `enrolling again returns the same, ended enrolment`() async throws {
        try await StoreFixture.with { fixture in
            try await fixture.publish()
            let account = try await fixture.makeAccount()
            let id = try await fixture.store.enrol(fixture.draft(account), now: .start).enrolment.id
            _ = try await fixture.withdraw(id, .stopped)

            let (enrolment, isNew) = try await fixture.store.enrol(fixture.draft(account), now: Self.leaving)

            #expect(!isNew)
            #expect(enrolment.id == id)
            #expect(enrolment.state == .stopped)
        }
    }

    @Test func `a setting changed afterwards starts no reminders`() async throws {
        try await StoreFixture.with { fixture in
            let id = try await fixture.enrol().id
            _ = try await fixture.withdraw(id, .stopped)

            let changed = try await fixture.store.updateEnrolment(id, study: fixture.study, now: Self.leaving)
            {
                $0.reminderAt = StudyFixture.hour(9)
            }

            #expect(changed.nextReminderAt == nil)
        }
    }
}

extension StoreFixture {
    func withdraw(
        _ id: EnrolmentID, _ state: EnrolmentState, now: Instant = WithdrawalTests.leaving
    ) async throws -> Enrolment {
        try await store.withdraw(id, to: state, study: study, audit: Self.entry("withdrawn", id), now: now)
    }
}
