import Postgres
import SaunterCore
import Testing

@testable import SaunterReminders
@testable import SaunterStore

/// An event requires a check of a participant's reminders at a certain time.
@Suite struct ScheduleCheckTests {
    private typealias Fixture = ReminderFixture

    private static let checkTime = Fixture.at(12, day: 9)

    /// Does what follows from a sheet after which a notification is possible at `checkTime`.
    private static func followSheet(of id: EnrolmentID, in store: Store, now: Instant) async throws {
        try await store.research.write { transaction in
            try await store.follow(
                FollowUps(study: Fixture.perOccasion, nextCheckAt: checkTime, now: now),
                try await Store.lockEnrolment(id, in: transaction), in: transaction)
        }
    }

    @Test func `scheduling a check waits for a concurrent check of the participant`() async throws {
        try await Fixture.with { fixture in
            let id = try await fixture.enrol(in: "per_occasion").id
            let store = fixture.store
            #expect(try await store.listFirstRemindersDue() == [Fixture.at(18)])

            let scheduling = try await fixture.owner.write { transaction in
                // Like a worker that claims the due reminders and finds no later one.
                try await transaction.execute(
                    script: """
                        update research.enrolment set next_reminder_at = null
                        where enrolment_id = '\(id)'
                        """)
                let task = Task {
                    try await Self.followSheet(of: id, in: store, now: Fixture.at(18, 1))
                }
                var polls = 0
                while polls < 100, try await !Self.isTransactionWaiting(fixture) {
                    polls += 1
                    try await Task.sleep(for: .milliseconds(10))
                }
                return task
            }
            try await scheduling.value

            #expect(try await store.listFirstRemindersDue() == [Self.checkTime])
        }
    }

    private static func isTransactionWaiting(_ fixture: Fixture) async throws -> Bool {
        try await !fixture.values(
            """
            select pid::text as value from pg_stat_activity
            where datname = current_database() and wait_event_type = 'Lock'
            """
        ).isEmpty
    }

    @Test func `an enrolment with an earlier check is not changed`() async throws {
        try await Fixture.with { fixture in
            let id = try await fixture.enrol(in: "per_occasion").id
            let version = "select xmin::text as value from research.enrolment"
            let before = try await fixture.values(version)

            try await Self.followSheet(of: id, in: fixture.store, now: Fixture.at(17))

            #expect(try await fixture.values(version) == before)
            #expect(try await fixture.store.listFirstRemindersDue() == [Fixture.at(18)])
        }
    }
}
