import Foundation
import SaunterCore
import SaunterStore
import Testing

@testable import SaunterReminders

@Suite struct ReminderStepTests {
    private typealias Fixture = ReminderFixture

    @Test func `a participant with a due occasion gets one daily mail at the configured time`() async throws {
        try await Fixture.with { fixture in
            let participant = try await fixture.enrol()

            #expect(try await fixture.step.run(now: Fixture.at(18, 59)) == .idle)
            #expect(try await fixture.step.run(now: Fixture.at(19)) == .sent)
            #expect(try await fixture.step.run(now: Fixture.at(19)) == .idle)

            #expect(fixture.mailServer.sent.map(\.to) == ["\(participant.account)@example.org"])
            #expect(try await fixture.states() == ["sent"])
            #expect(try await fixture.step.run(now: Fixture.at(19, day: 1)) == .sent)
        }
    }

    @Test func `one list of due participants serves many steps and skips participants that changed since`()
        async throws
    {
        try await Fixture.with { fixture in
            var enrolments: [String: EnrolmentID] = [:]
            for _ in 0..<3 {
                let participant = try await fixture.enrol()
                enrolments["\(participant.account)@example.org"] = participant.id
            }
            #expect(try await fixture.step.run(now: Fixture.at(19)) == .sent)
            enrolments[try #require(fixture.mailServer.sent.first?.to)] = nil
            let (skipped, skippedID) = try #require(enrolments.sorted { $0.key < $1.key }.first)
            _ = try await fixture.store.updateEnrolment(
                skippedID, study: Fixture.study(), now: Fixture.at(19)
            ) {
                $0.remindersOn = false
            }

            #expect(try await fixture.step.run(now: Fixture.at(19)) == .sent)
            #expect(try await fixture.step.run(now: Fixture.at(19)) == .idle)

            #expect(fixture.mailServer.sent.count == 2)
            #expect(!fixture.mailServer.sent.map(\.to).contains(skipped))
            // A participant who becomes due after the list was read is found with the next list.
            try await fixture.enrol()
            #expect(try await fixture.step.run(now: Fixture.at(19, 5)) == .sent)
        }
    }

    @Test(arguments: [(0, 30), (6, 59), (8, 0)])
    func `after downtime over midnight the missed daily mail is not sent, and the next one is`(
        hour: Int, minute: Int
    ) async throws {
        try await Fixture.with { fixture in
            try await fixture.enrol()

            #expect(try await fixture.step.run(now: Fixture.at(hour, minute, day: 1)) == .nothingDue)
            #expect(fixture.mailServer.sent.isEmpty)
            #expect(try await fixture.step.run(now: Fixture.at(19, day: 1)) == .sent)
        }
    }

    @Test func `a missed daily mail is sent later on the same day, but not in quiet hours`() async throws {
        try await Fixture.with { fixture in
            try await fixture.enrol()
            try await fixture.enrol()

            #expect(try await fixture.step.run(now: Fixture.at(21, 59)) == .sent)
            #expect(try await fixture.step.run(now: Fixture.at(22)) == .nothingDue)
            #expect(fixture.mailServer.sent.count == 1)
        }
    }

    enum Change: String, CaseIterable {
        case switchedOff = "switched_off"
        case paused, withdrawn
        case dayOver = "day_over"
    }

    @Test(arguments: Change.allCases)
    func `a mail that waits for a retry is suppressed if it is no longer needed`(change: Change)
        async throws
    {
        try await Fixture.with { fixture in
            let id = try await fixture.enrol().id
            fixture.mailServer.answerNext(.temporaryFailure(code: 451))
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
            #expect(fixture.mailServer.sent.count == 1)
            #expect(try await fixture.states() == ["suppressed \(change.rawValue)"])
        }
    }

    @Test func `a password code is sent before reminders, and is not sent after it has expired`()
        async throws
    {
        try await Fixture.with { fixture in
            let participant = try await fixture.enrol()
            try await fixture.store.insertPasswordReset(
                codeHash: [1], account: participant.account, message: ["code": "c0de"],
                now: Fixture.at(18, 30),
                expiresAt: Fixture.at(19, 30))

            #expect(try await fixture.step.run(now: Fixture.at(19)) == .sent)
            #expect(fixture.mailServer.sent[0].text.contains("c0de"))
            #expect(try await fixture.step.run(now: Fixture.at(19)) == .sent)

            try await fixture.store.insertPasswordReset(
                codeHash: [2], account: participant.account, message: ["code": "c0de"], now: Fixture.at(19),
                expiresAt: Fixture.at(20))
            #expect(try await fixture.step.run(now: Fixture.at(20)) == .suppressed)
            #expect(fixture.mailServer.sent.count == 2)
        }
    }

    @Test func `a notice of a new address goes to the former one, after an outage of many hours too`()
        async throws
    {
        try await Fixture.with { fixture in
            let account = try await fixture.enrol().account
            let code = RandomToken.make()
            _ = try await fixture.store.updateProfile(of: account, code: code, now: Fixture.noon) {
                $0.email = "new@example.org"
            }
            #expect(try await fixture.step.sendAccountMail(now: Fixture.noon) == .sent)
            #expect(
                try await fixture.store.verifyEmail(codeHash: code.digest, of: account, now: Fixture.noon))

            for hour in stride(from: 12, through: 36, by: 4) {
                fixture.mailServer.answerNext(.outage(code: 530))
                #expect(try await fixture.step.sendAccountMail(now: Fixture.at(hour)) == .unreachable)
            }
            #expect(try await fixture.step.sendAccountMail(now: Fixture.at(40)) == .sent)

            #expect(
                Set(fixture.mailServer.sent.map(\.to)) == ["new@example.org", "\(account)@example.org"])
            #expect(
                fixture.mailServer.sent.last?.subject == "Your e-mail address for Saunter was changed")
            #expect(fixture.mailServer.sent.last?.to == "\(account)@example.org")
        }
    }
}
