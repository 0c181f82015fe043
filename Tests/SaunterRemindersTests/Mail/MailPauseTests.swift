import SaunterCore
import Testing

@testable import SaunterReminders

@Suite struct MailPauseTests {
    private let now = Instant("2026-11-21T18:00:00Z")!

    @Test func `without an outage every worker may attempt a delivery`() {
        var pause = MailPause()
        var attempts = [pause.beginAttempt(at: now), pause.beginAttempt(at: now)]
        pause.recordOutcome(isOutage: false, at: now)
        attempts.append(pause.beginAttempt(at: now))

        #expect(attempts == [true, true, true])
    }

    @Test func `after an outage all workers pause, then one tries, and after its success all may`() {
        var pause = MailPause()
        pause.recordOutcome(isOutage: true, at: now)
        let end = now.adding(seconds: MailPause.seconds)
        let isAllowedBeforeEnd = pause.allowsAttempt(at: end.adding(milliseconds: -1))
        let isAllowedAtEnd = pause.allowsAttempt(at: end)
        var attempts = [
            pause.beginAttempt(at: now), pause.beginAttempt(at: end), pause.beginAttempt(at: end),
        ]
        pause.recordOutcome(isOutage: false, at: end)
        attempts += [pause.beginAttempt(at: end), pause.beginAttempt(at: end)]

        #expect(!isAllowedBeforeEnd && isAllowedAtEnd)
        #expect(attempts == [false, true, false, true, true])
    }

    @Test func `a worker that never reports its outcome blocks the next attempt for one pause only`() {
        var pause = MailPause()
        pause.recordOutcome(isOutage: true, at: now)
        let end = now.adding(seconds: MailPause.seconds)
        let attempts = [
            pause.beginAttempt(at: end), pause.beginAttempt(at: end.adding(seconds: MailPause.seconds)),
        ]

        #expect(attempts == [true, true])
    }
}
