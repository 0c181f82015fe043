import Foundation
import Postgres
import SaunterCore
import SaunterStore
import Testing

@testable import SaunterReminders

/// A message is claimed for a retry, and the connection is lost before the response to COMMIT.
@Suite struct LostRetryTests {
    private typealias Fixture = ReminderFixture

    private static let retryTime = Fixture.at(20)

    /// The commit of a claim waits for 600 seconds, unless the server process is terminated before.
    private static let delayCommits = """
        create function delay_commit() returns trigger language plpgsql as
            'begin perform pg_sleep(600); return null; end';
        create constraint trigger delay_commit after update on research.reminder deferrable initially deferred
            for each row when (new.state = 'claimed') execute function delay_commit()
        """

    private static func run(_ script: String, _ fixture: Fixture) async throws {
        try await fixture.owner.write { try await $0.execute(script: script) }
    }

    /// The id of the server process that waits in its commit. Nil if there is none.
    private static func waitingProcess(_ fixture: Fixture) async throws -> String? {
        try await fixture.values(
            """
            select pid::text as value from pg_stat_activity
            where datname = current_database() and query = 'COMMIT' and wait_event = 'PgSleep'
            """
        ).first
    }

    @Test func `after a claim that was rolled back, another worker can claim the message`() async throws {
        try await Fixture.with { fixture in
            let id = try await fixture.enrol().id
            fixture.mailServer.answerNext(.temporaryFailure(code: 451))
            #expect(try await fixture.step.run(now: Fixture.at(19)) == .retrying)
            try await Self.run(Self.delayCommits, fixture)
            let store = fixture.store

            async let lostClaim = store.claimRetry(now: Self.retryTime)
            var process: String?
            while process == nil { process = try await Self.waitingProcess(fixture) }
            let secondClaim = try await fixture.owner.write { transaction in
                // The search for the lost claim waits for this lock.
                try await transaction.execute(
                    script: "select from research.enrolment where enrolment_id = '\(id)' for update")
                _ = try await fixture.values("select pg_terminate_backend(\(process ?? "0"))::text as value")
                while try await Self.waitingProcess(fixture) != nil {}
                try await Self.run("drop trigger delay_commit on research.reminder", fixture)
                return try await store.claimRetry(now: Self.retryTime)
            }

            let message = try #require(secondClaim)
            #expect(try await lostClaim == nil)
            #expect(try await store.claimRetry(now: Self.retryTime) == nil)
            #expect(try await fixture.states() == ["claimed temporary_failure"])
            #expect(message.enrolment == id && message.keys.count == 1)
        }
    }

    @Test func `a message that waits for a retry is claimed by exactly one of many workers`() async throws {
        try await Fixture.with { fixture in
            for _ in 0..<3 { try await fixture.enrol() }
            for _ in 0..<3 {
                fixture.mailServer.answerNext(.temporaryFailure(code: 451))
                #expect(try await fixture.step.run(now: Fixture.at(19)) == .retrying)
            }
            let store = fixture.store

            let claimed = try await withThrowingTaskGroup(of: ReminderMessage?.self) { group in
                for _ in 0..<12 { group.addTask { try await store.claimRetry(now: Self.retryTime) } }
                return try await group.reduce(into: [ReminderMessage]()) { all, message in
                    if let message { all.append(message) }
                }
            }

            #expect(Set(claimed.map(\.id)).count == 3 && claimed.count == 3)
            #expect(try await fixture.states().allSatisfy { $0.hasPrefix("claimed") })
        }
    }
}
