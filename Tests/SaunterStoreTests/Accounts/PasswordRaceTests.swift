import Foundation
import Postgres
import SaunterCore
import Testing

@testable import SaunterStore

/// Requests that were checked with a password which is no longer valid.
@Suite struct PasswordRaceTests {
    private static let accountLock = "select from identity.account where account_id = $1 for update"

    @Test func `a login that waits for a change of the password is rejected`() async throws {
        try await StoreFixture.with { fixture in
            let account = try await fixture.makeAccount()

            let isInserted = try await fixture.whileLocked(
                Self.accountLock, [.id(account)],
                action: {
                    try await fixture.store.insertFamily(
                        UUID(), of: account, verified: "hash", tokenHash: [1], now: .start,
                        expiresAt: .maximum)
                },
                meanwhile: { try await $0.setPasswordHash("new", of: account) })

            #expect(!isInserted)
            #expect(try await fixture.count("identity.token_family") == 0)
            #expect(try await fixture.count("identity.refresh_token") == 0)
        }
    }

    @Test(arguments: 0..<8)
    func `no login with the old password survives a concurrent reset`(_ round: Int) async throws {
        try await StoreFixture.with { fixture in
            let store = fixture.store
            let account = try await fixture.makeAccount()
            try await store.insertPasswordReset(
                codeHash: [7], account: account, message: [:], now: .start, expiresAt: .maximum)

            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in UInt8(0)..<4 {
                    group.addTask {
                        _ = try await store.insertFamily(
                            UUID(), of: account, verified: "hash", tokenHash: [number], now: .start,
                            expiresAt: .maximum)
                    }
                }
                group.addTask {
                    let revoked = try await store.resetPassword(
                        codeHash: [7], passwordHash: "new", now: .start)
                    #expect(revoked != nil)
                }
                try await group.waitForAll()
            }

            let valid: Int = try await fixture.value(
                "select count(*)::int4 as value from identity.token_family where revoked_at is null")
            #expect(valid == 0)
        }
    }

    @Test func `a change of password and address that waits for a reset changes nothing`() async throws {
        try await StoreFixture.with { fixture in
            let store = fixture.store
            let id = try await fixture.makeAccount(email: "ada@example.org")
            let family = try await fixture.makeLogin(to: id)
            let change: @Sendable (inout Account) -> Void = { $0.email = "eve@example.org" }

            await #expect(throws: AccountFault.passwordChanged) {
                try await fixture.whileLocked(
                    Self.accountLock, [.id(id)],
                    action: {
                        _ = try await store.changePassword(
                            of: id, verified: "hash", passwordHash: "eve", keeping: family, now: .start,
                            change: change)
                    },
                    meanwhile: { try await $0.setPasswordHash("new", of: id) })
            }
            await #expect(throws: AccountFault.passwordChanged) {
                try await store.updateProfile(of: id, verified: "hash", now: .start, change: change)
            }

            let account = try await store.findAccount(id)
            #expect(account?.passwordHash == "new")
            #expect(account?.email == "ada@example.org")
        }
    }

    @Test func `an erasure that waits for a reset erases nothing`() async throws {
        try await StoreFixture.with { fixture in
            let id = try await fixture.makeAccount()

            await #expect(throws: AccountFault.passwordChanged) {
                try await fixture.whileLocked(
                    Self.accountLock, [.id(id)],
                    action: {
                        _ = try await fixture.store.erase(
                            account: id, verified: "hash", enrolments: [], audit: StoreFixture.entry(),
                            now: .start)
                    },
                    meanwhile: { try await $0.setPasswordHash("new", of: id) })
            }

            #expect(try await fixture.store.findAccount(id) != nil)
        }
    }

    @Test func `a reset that waits for a change of the password finds its code deleted`() async throws {
        try await StoreFixture.with { fixture in
            let store = fixture.store
            let id = try await fixture.makeAccount()
            try await store.insertPasswordReset(
                codeHash: [7], account: id, message: [:], now: .start, expiresAt: .maximum)

            let revoked = try await fixture.whileLocked(
                Self.accountLock, [.id(id)],
                action: { try await store.resetPassword(codeHash: [7], passwordHash: "late", now: .start) },
                meanwhile: {
                    try await $0.setPasswordHash("new", of: id)
                    try await $0.run("delete from identity.password_reset")
                })

            #expect(revoked == nil)
            #expect(try await store.findAccount(id)?.passwordHash == "new")
        }
    }

    @Test func `a login that waits for the erasure of its account is rejected`() async throws {
        try await StoreFixture.with { fixture in
            let account = try await fixture.makeAccount()

            let isInserted = try await fixture.whileLocked(
                Self.accountLock, [.id(account)],
                action: {
                    try await fixture.store.insertFamily(
                        UUID(), of: account, verified: "hash", tokenHash: [1], now: .start,
                        expiresAt: .maximum)
                },
                meanwhile: {
                    try await $0.run(
                        "delete from identity.account where account_id = $1", [.id(account)])
                })

            #expect(!isInserted)
        }
    }
}

extension Transaction {
    fileprivate func setPasswordHash(_ hash: String, of account: AccountID) async throws {
        try await run(
            "update identity.account set password_hash = $1 where account_id = $2",
            [.text(hash), .id(account)])
    }
}
