import Foundation
import Postgres
import SaunterCore
import SaunterStore
import Testing

@testable import SaunterReminders

/// A message is claimed to be tried again, and nobody hears whether the claim was committed.
@Suite struct LostRetryTests {
    private typealias Fixture = ReminderFixture

    private static let later = Fixture.at(20)

    /// Whoever commits a claim of a message waits in that, and lives until told otherwise.
    private static let dawdle = """
        create function dawdle() returns trigger language plpgsql as
            'begin perform pg_sleep(600); return null; end';
        create constraint trigger dawdle after update on research.reminder deferrable initially deferred
            for each row when (new.state = 'claimed') execute function dawdle()
        """

    private static func run(_ script: String, _ fixture: Fixture) async throws {
        try await fixture.owner.write { try await $0.execute(script: script) }
    }

    /// The server process that waits in its commit; nil when there is none.
    private static func dawdler(_ fixture: Fixture) async throws -> String? {
        try await fixture.values(
            """
            select pid::text as value from pg_stat_activity
            where datname = current_database() and query = 'COMMIT' and wait_event = 'PgSleep'
            """
        ).first
    }

    @Test func `a claim that came to nothing is left to whoever claims the message then`() async throws {
        try await Fixture.with { fixture in
            let id = try await fixture.enrol().id
            fixture.outbox.answer(.temporaryFailure(code: 451))
            #expect(try await fixture.step.run(now: Fixture.at(19)) == .retrying)
            try await Self.run(Self.dawdle, fixture)
            let store = fixture.store

            async let lost = store.claimRetry(now: Self.later)
            var process: String?
            while process == nil { process = try await Self.dawdler(fixture) }
            let held = try await fixture.owner.write { transaction in
                // Who looks for a lost claim waits for this.
                try await transaction.execute(
                    script: "select from research.enrolment where enrolment_id = '\(id)' for update")
                _ = try await fixture.values("select pg_terminate_backend(\(process ?? "0"))::text as value")
                while try await Self.dawdler(fixture) != nil {}
                try await Self.run("drop trigger dawdle on research.reminder", fixture)
                return try await store.claimRetry(now: Self.later)
            }

            let message = try #require(held)
            #expect(try await lost == nil)
            #expect(try await store.claimRetry(now: Self.later) == nil)
            #expect(try await fixture.states() == ["claimed temporary_failure"])
            #expect(message.enrolment == id && message.keys.count == 1)
        }
    }

    @Test func `a message that waits for another attempt is claimed by one, whoever asks`() async throws {
        try await Fixture.with { fixture in
            for _ in 0..<3 { try await fixture.enrol() }
            for _ in 0..<3 {
                fixture.outbox.answer(.temporaryFailure(code: 451))
                #expect(try await fixture.step.run(now: Fixture.at(19)) == .retrying)
            }
            let store = fixture.store

            let claimed = try await withThrowingTaskGroup(of: ReminderMessage?.self) { group in
                for _ in 0..<12 { group.addTask { try await store.claimRetry(now: Self.later) } }
                return try await group.reduce(into: [ReminderMessage]()) { all, message in
                    if let message { all.append(message) }
                }
            }

            #expect(Set(claimed.map(\.id)).count == 3 && claimed.count == 3)
            #expect(try await fixture.states().allSatisfy { $0.hasPrefix("claimed") })
        }
    }
}
