import Foundation
import SaunterCore
import SaunterStore
import Testing

@testable import SaunterReminders

@Suite struct ReminderStepTests {
    private typealias Fixture = ReminderFixture

    @Test func `whoever has something due gets one mail at the hour`() async throws {
        try await Fixture.with { fixture in
            let person = try await fixture.enrol()

            #expect(try await fixture.step.run(now: Fixture.at(18, 59)) == .idle)
            #expect(try await fixture.step.run(now: Fixture.at(19)) == .sent)
            #expect(try await fixture.step.run(now: Fixture.at(19)) == .idle)

            #expect(fixture.outbox.sent.map(\.to) == ["\(person.account)@example.org"])
            #expect(try await fixture.states() == ["sent"])
            #expect(try await fixture.step.run(now: Fixture.at(19, day: 1)) == .sent)
        }
    }

    @Test func `people are listed once for many, and whoever has changed since is passed over`() async throws
    {
        try await Fixture.with { fixture in
            var people: [String: EnrolmentID] = [:]
            for _ in 0..<3 {
                let person = try await fixture.enrol()
                people["\(person.account)@example.org"] = person.id
            }
            #expect(try await fixture.step.run(now: Fixture.at(19)) == .sent)
            people[try #require(fixture.outbox.sent.first?.to)] = nil
            let (left, off) = try #require(people.sorted { $0.key < $1.key }.first)
            _ = try await fixture.store.updateEnrolment(off, study: Fixture.study(), now: Fixture.at(19)) {
                $0.remindersOn = false
            }

            #expect(try await fixture.step.run(now: Fixture.at(19)) == .sent)
            #expect(try await fixture.step.run(now: Fixture.at(19)) == .idle)

            #expect(fixture.outbox.sent.count == 2)
            #expect(!fixture.outbox.sent.map(\.to).contains(left))
            // Who comes due after the list was made is found once it is used up.
            try await fixture.enrol()
            #expect(try await fixture.step.run(now: Fixture.at(19, 5)) == .sent)
        }
    }

    @Test(arguments: [(0, 30), (6, 59), (8, 0)])
    func `after a standstill over midnight the missed hour is not made up for, and today's comes`(
        hour: Int, minute: Int
    ) async throws {
        try await Fixture.with { fixture in
            try await fixture.enrol()

            #expect(try await fixture.step.run(now: Fixture.at(hour, minute, day: 1)) == .nothingDue)
            #expect(fixture.outbox.sent.isEmpty)
            #expect(try await fixture.step.run(now: Fixture.at(19, day: 1)) == .sent)
        }
    }

    @Test func `an hour that was missed by a little is made up for, unless it is quiet by then`() async throws
    {
        try await Fixture.with { fixture in
            try await fixture.enrol()
            try await fixture.enrol()

            #expect(try await fixture.step.run(now: Fixture.at(21, 59)) == .sent)
            #expect(try await fixture.step.run(now: Fixture.at(22)) == .nothingDue)
            #expect(fixture.outbox.sent.count == 1)
        }
    }

    enum Change: String, CaseIterable {
        case switchedOff = "switched_off"
        case paused, withdrawn
        case dayOver = "day_over"
    }

    @Test(arguments: Change.allCases)
    func `a mail that waits for another attempt is dropped when it is not wanted any more`(change: Change)
        async throws
    {
        try await Fixture.with { fixture in
            let id = try await fixture.enrol().id
            fixture.outbox.answer(.temporaryFailure(code: 451))
            #expect(try await fixture.step.run(now: Fixture.at(19)) == .retrying)
            let study = Fixture.study()
            var later = Fixture.at(21)
            switch change {
            case .switchedOff:
                _ = try await fixture.store.updateEnrolment(id, study: study, now: Fixture.at(19, 1)) {
                    $0.remindersOn = false
                }
            case .paused:
                _ = try await fixture.store.updateEnrolment(id, study: study, now: Fixture.at(19, 1)) {
                    $0.pause = .begin
                }
            case .withdrawn:
                _ = try await fixture.store.withdraw(
                    id, to: .stopped, study: study,
                    audit: AuditEntry(actor: .system, action: "test", study: "walks", enrolment: id),
                    now: Fixture.at(19, 1))
            case .dayOver: later = Fixture.at(1, day: 1)
            }

            var results: [ReminderStep.Result] = []
            while results.last != .idle { results.append(try await fixture.step.run(now: later)) }

            #expect(results.contains(.suppressed))
            #expect(fixture.outbox.sent.count == 1)
            #expect(try await fixture.states() == ["suppressed \(change.rawValue)"])
        }
    }

    @Test func `a code for a new password goes before reminders, and not at all when it has expired`()
        async throws
    {
        try await Fixture.with { fixture in
            let person = try await fixture.enrol()
            try await fixture.store.insertPasswordReset(
                codeHash: [1], account: person.account, message: ["code": "c0de"], now: Fixture.at(18, 30),
                expiresAt: Fixture.at(19, 30))

            #expect(try await fixture.step.run(now: Fixture.at(19)) == .sent)
            #expect(fixture.outbox.sent[0].text.contains("c0de"))
            #expect(try await fixture.step.run(now: Fixture.at(19)) == .sent)

            try await fixture.store.insertPasswordReset(
                codeHash: [2], account: person.account, message: ["code": "c0de"], now: Fixture.at(19),
                expiresAt: Fixture.at(20))
            #expect(try await fixture.step.run(now: Fixture.at(20)) == .suppressed)
            #expect(fixture.outbox.sent.count == 2)
        }
    }
}
