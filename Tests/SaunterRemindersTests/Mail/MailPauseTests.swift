import SaunterCore
import Testing

@testable import SaunterReminders

@Suite struct MailPauseTests {
    private let now = Instant("2026-11-21T18:00:00Z")!

    @Test func `a server that takes mail is asked by all`() {
        var pause = MailPause()
        var turns = [pause.takeTurn(at: now), pause.takeTurn(at: now)]
        pause.note(isOutage: false, at: now)
        turns.append(pause.takeTurn(at: now))

        #expect(turns == [true, true, true])
    }

    @Test func `after a fault nobody asks for a while, then one, and after an answer all`() {
        var pause = MailPause()
        pause.note(isOutage: true, at: now)
        let end = now.adding(seconds: MailPause.seconds)
        let isOverBefore = pause.allows(at: end.adding(milliseconds: -1))
        let isOverThen = pause.allows(at: end)
        var turns = [pause.takeTurn(at: now), pause.takeTurn(at: end), pause.takeTurn(at: end)]
        pause.note(isOutage: false, at: end)
        turns += [pause.takeTurn(at: end), pause.takeTurn(at: end)]

        #expect(!isOverBefore && isOverThen)
        #expect(turns == [false, true, false, true, true])
    }

    @Test func `whoever took the turn and never came back keeps nobody from the next`() {
        var pause = MailPause()
        pause.note(isOutage: true, at: now)
        let end = now.adding(seconds: MailPause.seconds)
        let turns = [pause.takeTurn(at: end), pause.takeTurn(at: end.adding(seconds: MailPause.seconds))]

        #expect(turns == [true, true])
    }
}
