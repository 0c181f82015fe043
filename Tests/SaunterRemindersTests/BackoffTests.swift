import SaunterCore
import Testing

@testable import SaunterReminders

@Suite struct BackoffTests {
    private let now = Instant("2026-11-21T18:00:00Z")!
    private let midnight = Instant("2026-11-21T23:00:00Z")!

    @Test(arguments: [(1, "18:01"), (2, "18:05"), (3, "18:15"), (4, "19:00"), (5, "21:00")])
    func `each retry waits longer than the one before`(attempt: Int, expected: String) {
        let next = Backoff.nextAttempt(after: attempt, now: now, before: midnight)

        #expect(next?.description == "2026-11-21T\(expected):00.000Z")
    }

    @Test(arguments: [6, 7, 1000, 0, -1])
    func `after the sixth attempt there is no retry`(attempt: Int) {
        #expect(Backoff.nextAttempt(after: attempt, now: now, before: midnight) == nil)
    }

    @Test(arguments: [(1, "18:01"), (5, "21:00"), (6, "21:00"), (1000, "21:00")])
    func `during an outage the last delay repeats until the message expires`(attempt: Int, expected: String) {
        let next = Backoff.nextAttemptDuringOutage(after: attempt, now: now, before: midnight)

        #expect(next?.description == "2026-11-21T\(expected):00.000Z")
        #expect(Backoff.nextAttemptDuringOutage(after: 0, now: now, before: midnight) == nil)
        #expect(
            Backoff.nextAttemptDuringOutage(after: 6, now: now, before: now.adding(seconds: 3 * 3600)) == nil)
    }

    @Test func `there is no retry at or after the end`() {
        #expect(Backoff.nextAttempt(after: 5, now: now, before: now.adding(seconds: 3 * 3600)) == nil)
        #expect(Backoff.nextAttempt(after: 5, now: now, before: now.adding(seconds: 3 * 3600 + 1)) != nil)
    }
}
