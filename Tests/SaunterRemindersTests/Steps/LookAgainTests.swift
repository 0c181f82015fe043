import Postgres
import SaunterCore
import SaunterStore
import Testing

@testable import SaunterReminders

/// Something happens for which a participant is to be looked at by a moment.
@Suite struct LookAgainTests {
    private typealias Fixture = ReminderFixture

    private static let moment = Fixture.at(12, day: 9)

    @Test func `whoever looks just now, and does not see why it is asked for, is waited for`() async throws {
        try await Fixture.with { fixture in
            let id = try await fixture.enrol(in: "prompted").id
            let store = fixture.store
            #expect(try await store.firstRemindersDue() == [Fixture.at(18)])

            let asked = try await fixture.owner.write { transaction in
                // As one who claims what is due, and sees nothing after it.
                try await transaction.execute(
                    script: """
                        update research.enrolment set next_reminder_at = null
                        where enrolment_id = '\(id)'
                        """)
                let asking = Task {
                    try await store.lookAgain(at: Self.moment, of: id, now: Fixture.at(18, 1))
                }
                var looks = 0
                while looks < 100, try await !Self.isAnybodyWaiting(fixture) {
                    looks += 1
                    try await Task.sleep(for: .milliseconds(10))
                }
                return asking
            }
            try await asked.value

            #expect(try await store.firstRemindersDue() == [Self.moment])
        }
    }

    private static func isAnybodyWaiting(_ fixture: Fixture) async throws -> Bool {
        try await !fixture.values(
            """
            select pid::text as value from pg_stat_activity
            where datname = current_database() and wait_event_type = 'Lock'
            """
        ).isEmpty
    }

    @Test func `whoever is looked at sooner anyway stays untouched`() async throws {
        try await Fixture.with { fixture in
            let id = try await fixture.enrol(in: "prompted").id
            let version = "select xmin::text as value from research.enrolment"
            let before = try await fixture.values(version)

            try await fixture.store.lookAgain(at: Self.moment, of: id, now: Fixture.at(17))

            #expect(try await fixture.values(version) == before)
            #expect(try await fixture.store.firstRemindersDue() == [Fixture.at(18)])
        }
    }
}
