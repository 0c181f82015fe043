import Foundation
import SaunterCore
import Testing

@testable import SaunterStore

@Suite struct EmailVerificationTests {
    static let code = RandomToken.make()
    static let later = Instant.start.plus(hours: 1)

    @Test func `a code verifies the first address once, and enrolments can be reminded by mail`() async throws
    {
        try await StoreFixture.with { fixture in
            let id = try await Self.register(fixture)
            try await fixture.publish()
            _ = try await fixture.store.enrol(fixture.draft(id), now: .start)
            func verifiedEnrolments() async throws -> Int {
                try await fixture.value(
                    "select count(*) as value from research.enrolment where email_verified")
            }
            #expect(try await Self.mails(fixture) == ["email_verification to ada@example.org"])
            #expect(try await verifiedEnrolments() == 0)

            #expect(try await Self.verify(fixture, id))

            #expect(try await fixture.store.findAccount(id)?.emailVerifiedAt == Self.later)
            #expect(try await verifiedEnrolments() == 1)
            #expect(try await !Self.verify(fixture, id))
            #expect(try await Self.mails(fixture) == [])
        }
    }

    @Test func `an enrolment after the verification can be reminded by mail`() async throws {
        try await StoreFixture.with { fixture in
            _ = try await fixture.enrol()

            let verified: Int = try await fixture.value(
                "select count(*) as value from research.enrolment where email_verified")
            #expect(verified == 1)
        }
    }

    @Test func `another account cannot use the code, and the code expires after 24 hours`() async throws {
        try await StoreFixture.with { fixture in
            let id = try await Self.register(fixture)
            let other = try await fixture.makeAccount()
            let expiry = Instant.start.plus(hours: 24)

            #expect(try await !Self.verify(fixture, other))
            #expect(try await !Self.verify(fixture, id, now: expiry))
            #expect(try await Self.verify(fixture, id, now: expiry.adding(milliseconds: -1)))
        }
    }

    @Test func `only the last of several codes is valid, and only its mail is sent`() async throws {
        try await StoreFixture.with { fixture in
            let id = try await Self.register(fixture)
            let second = RandomToken.make()

            try await fixture.store.resendEmailVerification(second, of: id, now: .start)

            #expect(try await Self.mails(fixture) == ["email_verification to ada@example.org"])
            #expect(try await !Self.verify(fixture, id))
            #expect(try await Self.verify(fixture, id, second))
            try await fixture.store.resendEmailVerification(.make(), of: id, now: Self.later)
            #expect(try await Self.mails(fixture) == [], "a verified address needs no code")
        }
    }

    @Test func `an address that is not verified is replaced at once, without a notice`() async throws {
        try await StoreFixture.with { fixture in
            let id = try await Self.register(fixture)
            try await Self.requestReset(fixture, id)

            let changed = try await Self.change(fixture, id, to: "grace@example.org")

            #expect(changed?.email == "grace@example.org")
            #expect(changed?.emailVerifiedAt == nil)
            #expect(try await Self.mails(fixture) == ["email_verification to grace@example.org"])
            #expect(try await !Self.reset(fixture), "the reset code was mailed to the former address")
            #expect(try await Self.verify(fixture, id, Self.code))
        }
    }

    @Test func `a verified address stays until the code confirms the new one, and is then notified`()
        async throws
    {
        try await StoreFixture.with { fixture in
            let id = try await fixture.makeAccount(email: "ada@example.org")
            try await Self.requestReset(fixture, id)
            #expect(try await Self.mails(fixture) == ["password_reset to ada@example.org"])

            let changed = try await Self.change(fixture, id, to: "grace@example.org")

            #expect(changed?.email == "ada@example.org")
            let waiting = try await fixture.store.findUnverifiedEmail(of: id, now: .start)
            #expect(waiting == "grace@example.org")
            #expect(try await Self.mails(fixture) == ["email_verification to grace@example.org"])

            #expect(try await Self.verify(fixture, id))

            #expect(try await fixture.store.findAccount(email: "grace@example.org")?.id == id)
            #expect(try await fixture.store.findAccount(email: "ada@example.org") == nil)
            #expect(try await fixture.store.findUnverifiedEmail(of: id, now: Self.later) == nil)
            #expect(try await Self.mails(fixture) == ["email_changed to ada@example.org"])
            #expect(try await !Self.reset(fixture), "the reset code was mailed to the former address")
        }
    }

    @Test func `an address that another account got in the meantime cannot be confirmed`() async throws {
        try await StoreFixture.with { fixture in
            let id = try await fixture.makeAccount(email: "ada@example.org")
            _ = try await Self.change(fixture, id, to: "grace@example.org")
            _ = try await fixture.makeAccount(email: "grace@example.org")

            await #expect(throws: AccountFault.emailTaken) { try await Self.verify(fixture, id) }
            await #expect(throws: AccountFault.emailTaken) {
                try await Self.change(fixture, id, to: "GRACE@example.org")
            }

            #expect(try await fixture.store.findAccount(id)?.email == "ada@example.org")
        }
    }

    @Test func `a new password is notified to a verified address only`() async throws {
        try await StoreFixture.with { fixture in
            for isVerified in [false, true] {
                let id = try await fixture.makeAccount(
                    email: "ada-\(isVerified)@example.org", isVerified: isVerified)
                _ = try await fixture.store.changePassword(
                    of: id, verified: "hash", passwordHash: "new", keeping: UUID(), now: .start)
            }

            #expect(try await Self.mails(fixture) == ["password_changed to ada-true@example.org"])
        }
    }

    @Test func `a reset verifies the address to which its code was mailed, and discards a waiting change`()
        async throws
    {
        try await StoreFixture.with { fixture in
            let unverified = try await fixture.makeAccount(email: "ada@example.org", isVerified: false)
            try await Self.requestReset(fixture, unverified)
            #expect(try await Self.mails(fixture) == ["password_reset to ada@example.org"])

            #expect(try await Self.reset(fixture))

            #expect(try await fixture.store.findAccount(unverified)?.emailVerifiedAt == Self.later)
            #expect(try await Self.mails(fixture) == ["password_changed to ada@example.org"])

            _ = try await Self.change(fixture, unverified, to: "grace@example.org")
            try await Self.requestReset(fixture, unverified, code: 8)
            #expect(try await Self.reset(fixture, code: 8))
            #expect(try await !Self.verify(fixture, unverified))
        }
    }

    @Test func `expired codes and old mails are deleted, even if no server has sent them`() async throws {
        try await StoreFixture.with { fixture in
            _ = try await Self.register(fixture)

            try await fixture.store.deleteExpiredIdentityRows(now: Instant.start.plus(days: 2))
            #expect(try await fixture.count("identity.email_verification") == 0)
            #expect(try await fixture.count("identity.outgoing_mail") == 1)

            try await fixture.store.deleteExpiredIdentityRows(now: Instant.start.plus(days: 8))
            #expect(try await fixture.count("identity.outgoing_mail") == 0)
        }
    }

    // MARK: Actions

    private static func register(_ fixture: StoreFixture) async throws -> AccountID {
        let account = AccountsTests.account("ada@example.org")
        try await fixture.store.insert(account, code: code)
        return account.id
    }

    private static func verify(
        _ fixture: StoreFixture, _ id: AccountID, _ code: RandomToken = code, now: Instant = later
    ) async throws -> Bool {
        try await fixture.store.verifyEmail(codeHash: code.digest, of: id, now: now)
    }

    private static func change(
        _ fixture: StoreFixture, _ id: AccountID, to email: String
    ) async throws -> Account? {
        try await fixture.store.updateProfile(of: id, code: code, now: .start) { $0.email = email }
    }

    private static func requestReset(
        _ fixture: StoreFixture, _ id: AccountID, code: UInt8 = 7
    ) async throws {
        try await fixture.store.insertPasswordReset(
            codeHash: [code], account: id, message: ["code": "c"], now: .start, expiresAt: .maximum)
    }

    private static func reset(_ fixture: StoreFixture, code: UInt8 = 7) async throws -> Bool {
        try await fixture.store.resetPassword(codeHash: [code], passwordHash: "new", now: later) != nil
    }

    /// Kinds and recipients of the mails that were queued since the last call.
    private static func mails(_ fixture: StoreFixture) async throws -> [String] {
        var found: [String] = []
        while let mail = try await fixture.store.claimOutgoingMail(now: later, leaseUntil: .maximum) {
            found.append("\(mail.kind?.rawValue ?? "unknown") to \(mail.message["to"]?.string ?? "")")
            try await fixture.store.finishOutgoingMail(mail.id, outcome: "sent", nextAttemptAt: nil)
        }
        return found
    }
}
