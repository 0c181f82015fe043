import Foundation
import SaunterCore
import Testing

@testable import SaunterStore

@Suite struct PasswordResetTests {
    static let expiry = Instant.start.plus(hours: 1)

    @Test func `a code sets a password once and revokes every login`() async throws {
        try await withCode { store, account in
            let family = UUID()
            _ = try await store.insertFamily(
                family, of: account, verified: "hash", tokenHash: [1], now: .start, expiresAt: Self.expiry)

            let ended = try await store.resetPassword(codeHash: [7], passwordHash: "new", now: .start)
            let again = try await store.resetPassword(codeHash: [7], passwordHash: "newer", now: .start)

            #expect(ended == [family])
            #expect(again == nil)
            #expect(try await store.findAccount(account)?.passwordHash == "new")
        }
    }

    @Test func `only one of many concurrent uses of a code succeeds`() async throws {
        try await withCode { store, _ in
            let succeeded = try await withThrowingTaskGroup(of: Bool.self) { group in
                for number in 0..<8 {
                    group.addTask {
                        try await store.resetPassword(
                            codeHash: [7], passwordHash: "new\(number)", now: .start) != nil
                    }
                }
                return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(succeeded == 1)
        }
    }

    @Test(arguments: [(-1, true), (0, false)])
    func `a code is valid until it expires`(offset: Int64, works: Bool) async throws {
        try await withCode { store, _ in
            let ended = try await store.resetPassword(
                codeHash: [7], passwordHash: "new", now: Self.expiry.adding(milliseconds: offset))
            #expect((ended != nil) == works)
        }
    }

    @Test func `only the code that was requested last is valid`() async throws {
        try await withCode { store, account in
            try await store.insertPasswordReset(
                codeHash: [8], account: account, message: [:], now: .start, expiresAt: Self.expiry)

            #expect(try await store.resetPassword(codeHash: [7], passwordHash: "a", now: .start) == nil)
            #expect(try await store.resetPassword(codeHash: [8], passwordHash: "b", now: .start) != nil)
        }
    }

    @Test func `a change of the password makes the code invalid, and its mail is not sent`() async throws {
        try await withCode { store, account in
            _ = try await store.changePassword(
                of: account, verified: "hash", passwordHash: "new", keeping: UUID(), now: .start)

            #expect(try await store.resetPassword(codeHash: [7], passwordHash: "late", now: .start) == nil)
            #expect(try await store.findAccount(account)?.passwordHash == "new")
            var mails: [OutgoingMail.Kind?] = []
            while let mail = try await store.claimOutgoingMail(now: .start, leaseUntil: .maximum) {
                mails.append(mail.kind)
            }
            #expect(mails == [.passwordChanged])
        }
    }

    @Test func `an unknown code changes nothing`() async throws {
        try await withCode { store, account in
            let ended = try await store.resetPassword(codeHash: [9], passwordHash: "new", now: .start)

            #expect(ended == nil)
            #expect(try await store.findAccount(account)?.passwordHash == "hash")
        }
    }

    private func withCode(_ body: (Store, AccountID) async throws -> Void) async throws {
        try await StoreFixture.with { fixture in
            let account = try await fixture.makeAccount()
            try await fixture.store.insertPasswordReset(
                codeHash: [7], account: account, message: ["code": "c"], now: .start, expiresAt: Self.expiry)
            try await body(fixture.store, account)
        }
    }
}
