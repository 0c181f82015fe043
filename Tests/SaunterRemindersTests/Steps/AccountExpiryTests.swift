import Foundation
import SaunterCore
import SaunterStore
import Testing

@testable import SaunterReminders

@Suite struct AccountExpiryTests {
    private typealias Fixture = ReminderFixture

    @Test func `an unused anonymous account is erased after the longest time of its studies`() async throws {
        try await Fixture.with { fixture in
            let brief = try await fixture.startAnonymous(in: ["kept_30"])
            let long = try await fixture.startAnonymous(in: ["kept_30", "kept_400"])
            let kept = try await fixture.startAnonymous(in: ["kept_30", "kept"])
            let none = try await fixture.startAnonymous(in: [])
            let used = try await fixture.startAnonymous(in: ["kept_30"])
            let registered = try await fixture.enrol(in: "kept_30").account
            _ = try await fixture.store.recordUse(of: used, UUID(), now: Fixture.at(12, day: 20))

            /// The accounts that are left after the hourly cleanup of a day.
            func left(day: Int, _ minute: Int = 0) async throws -> Set<AccountID> {
                await fixture.loop(at: Fixture.at(12, minute, day: day)).deleteExpiredRows()
                var left: Set<AccountID> = []
                for id in [brief, long, kept, none, used, registered]
                where try await fixture.store.findAccount(id) != nil { left.insert(id) }
                return left
            }

            #expect(try await left(day: 31) == [brief, long, kept, none, used, registered])
            #expect(try await left(day: 31, 1) == [long, kept, used, registered])
            #expect(try await left(day: 51) == [long, kept, used, registered])
            #expect(try await left(day: 51, 1) == [long, kept, registered])
            #expect(try await left(day: 401, 1) == [kept, registered])
            #expect(try await left(day: 5000) == [kept, registered])
            #expect(
                try await fixture.values("select count(*)::text as value from research.enrolment") == ["3"])
            #expect(
                try await fixture.values(
                    "select count(*)::text as value from audit.entry where action = 'account_expired'")
                    == ["4"])
        }
    }

    @Test func `the mail of a password reset leads to the page that all studies of the account name`()
        async throws
    {
        try await Fixture.with { fixture in
            for (studies, link) in [
                (["kept_30"], "https://app.example.org/reset#c0de"),
                (["kept_30", "kept_400"], "https://s.example/reset/code"),
                (["walks"], "https://s.example/reset/code"),
            ] {
                var account: AccountID?
                for study in studies {
                    account = try await fixture.enrol(in: study, account: account).account
                }
                let id = try #require(account)
                try await fixture.store.insertPasswordReset(
                    codeHash: Array("\(id)".utf8), account: id, message: ["code": "c0de"], now: Fixture.noon,
                    expiresAt: Fixture.at(13))

                #expect(try await fixture.step.sendAccountMail(now: Fixture.noon) == .sent)
                #expect(fixture.mailServer.sent.last?.text.contains("(\(link))") == true)
            }
        }
    }
}
