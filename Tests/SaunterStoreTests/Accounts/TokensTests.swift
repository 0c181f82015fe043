import Foundation
import Postgres
import SaunterCore
import Testing

@testable import SaunterStore

@Suite struct TokensTests {
    @Test func `a token is exchanged for its successor, repeatedly`() async throws {
        try await withFamily { store, family, account in
            for step in 1...3 {
                guard
                    case .rotated(account, .registered, family, let expiresAt) = try await store.exchange(
                        step, for: step + 1)
                else {
                    Issue.record("step \(step) was refused")
                    return
                }
                #expect(expiresAt == Self.expiry)
            }
        }
    }

    @Test func `an unknown token is rejected`() async throws {
        try await withFamily { store, _, _ in
            let outcome = try await store.exchange(99, for: 100)
            #expect(outcome.isRejected)
        }
    }

    @Test func `after a lost response the predecessor works again`() async throws {
        try await withFamily { store, _, _ in
            let first = try await store.exchange(1, for: 2)
            let repeated = try await store.exchange(1, for: 3)
            let next = try await store.exchange(3, for: 4)

            #expect(first.isRotated && repeated.isRotated && next.isRotated)
        }
    }

    @Test func `using a token after its successor was used revokes the family`() async throws {
        try await withFamily { store, family, account in
            #expect(try await store.exchange(1, for: 2).isRotated)
            #expect(try await store.exchange(2, for: 3).isRotated)

            guard case .replayed(account, family) = try await store.exchange(1, for: 9) else {
                Issue.record("the replay was not detected")
                return
            }
            for token in 1...3 { #expect(try await store.exchange(token, for: 10 + token).isRejected) }
            #expect(try await store.listFamilies(revokedSince: .start) == [family])
        }
    }

    @Test func `only one of two successors can be used, because one of them is a stolen copy`() async throws {
        try await withFamily { store, _, _ in
            for (token, successor) in [(1, 2), (1, 3), (2, 4)] {
                let outcome = try await store.exchange(token, for: successor)
                #expect(outcome.isRotated)
            }

            let stolen = try await store.exchange(3, for: 5)
            let legitimate = try await store.exchange(4, for: 6)

            #expect(stolen.isReplayed)
            #expect(legitimate.isRejected)
        }
    }

    @Test func `one token has a limited number of successors`() async throws {
        try await withFamily { store, _, _ in
            for successor in 2...21 {
                let outcome = try await store.exchange(1, for: successor)
                #expect(outcome.isRotated)
            }

            let outcome = try await store.exchange(1, for: 22)
            #expect(outcome.isReplayed)
        }
    }

    @Test func `many concurrent exchanges of one token succeed, and one of the successors stays valid`()
        async throws
    {
        try await withFamily { store, _, _ in
            let rotated = try await withThrowingTaskGroup(of: Bool.self) { group in
                for successor in 2...9 {
                    group.addTask { try await store.exchange(1, for: successor).isRotated }
                }
                return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }

            #expect(rotated == 8)
            #expect(try await store.exchange(5, for: 20).isRotated)
            #expect(try await store.exchange(6, for: 21).isReplayed)
        }
    }

    @Test func `a replay that waits for another exchange sees its result`() async throws {
        try await StoreFixture.with { fixture in
            let store = fixture.store
            _ = try await Self.makeFamily(fixture)
            #expect(try await store.exchange(1, for: 2).isRotated)

            let outcome = try await fixture.whileLocked("select from identity.token_family for update") {
                try await store.exchange(1, for: 9)
            } meanwhile: { transaction in
                try await transaction.run(
                    "update identity.refresh_token set used_at = now() where token_hash = $1", [.bytes([2])])
            }

            #expect(outcome.isReplayed)
        }
    }

    @Test func `a logout revokes one family and no other`() async throws {
        try await StoreFixture.with { fixture in
            let store = fixture.store
            let (family, account) = try await Self.makeFamily(fixture)
            let other = UUID()
            _ = try await store.insertFamily(
                other, of: account, verified: "hash", tokenHash: [50], now: .start, expiresAt: Self.expiry)

            try await store.revoke(family: family, now: .start, why: "logout")

            #expect(try await store.exchange(1, for: 2).isRejected)
            #expect(try await store.exchange(50, for: 51).isRotated)
            #expect(try await store.listFamilies(revokedSince: .start) == [family])
            #expect(try await store.listFamilies(revokedSince: Instant.start.plus(hours: 1)).isEmpty)
        }
    }

    @Test(arguments: [(-1, true), (0, false), (1, false)])
    func `a family ends at its expiry, however often its tokens were exchanged`(offset: Int64, works: Bool)
        async throws
    {
        try await withFamily { store, _, _ in
            #expect(try await store.exchange(1, for: 2).isRotated)

            let outcome = try await store.exchange(2, for: 3, now: Self.expiry.adding(milliseconds: offset))

            #expect(outcome.isRotated == works)
            #expect(outcome.isRejected != works)
        }
    }

    @Test func `expired families are deleted with their tokens`() async throws {
        try await StoreFixture.with { fixture in
            _ = try await Self.makeFamily(fixture)
            try await fixture.store.deleteExpiredIdentityRows(now: Self.expiry)
            #expect(try await fixture.count("identity.token_family") == 1)

            try await fixture.store.deleteExpiredIdentityRows(now: Self.expiry.adding(milliseconds: 1))

            #expect(try await fixture.count("identity.token_family") == 0)
            #expect(try await fixture.count("identity.refresh_token") == 0)
        }
    }

    @Test
    func `refresh tokens that were exchanged a week ago are deleted, and tokens that are still needed stay`()
        async throws
    {
        try await StoreFixture.with { fixture in
            let (_, account) = try await Self.makeFamily(fixture)
            for token in 1...5 {
                #expect(try await fixture.store.exchange(token, for: token + 1).isRotated)
            }
            try await fixture.store.insertPasswordReset(
                codeHash: [7], account: account, message: [:], now: .start,
                expiresAt: Instant.start.plus(hours: 1))

            try await fixture.store.deleteExpiredIdentityRows(now: Instant.start.plus(days: 7))
            #expect(try await fixture.count("identity.refresh_token") == 6)
            #expect(try await fixture.count("identity.password_reset") == 0)

            try await fixture.store.deleteExpiredIdentityRows(now: Instant.start.plus(days: 8))
            // The first token, the last used one and the newest.
            #expect(try await fixture.count("identity.refresh_token") == 3)
            #expect(try await fixture.store.exchange(6, for: 7).isRotated)
            #expect(try await fixture.store.exchange(5, for: 8).isReplayed)
        }
    }

    @Test
    func `a new password revokes every other login, returns them, and deletes an unused reset code`()
        async throws
    {
        try await StoreFixture.with { fixture in
            let store = fixture.store
            let (family, account) = try await Self.makeFamily(fixture)
            let other = UUID()
            _ = try await store.insertFamily(
                other, of: account, verified: "hash", tokenHash: [50], now: .start, expiresAt: Self.expiry)
            try await store.insertPasswordReset(
                codeHash: [7], account: account, message: [:], now: .start, expiresAt: Self.expiry)

            let changed = try await store.changePassword(
                of: account, verified: "hash", passwordHash: "new", keeping: family, now: .start)

            #expect(changed?.revoked == [other])
            #expect(try await store.exchange(1, for: 2).isRotated)
            #expect(try await store.exchange(50, for: 51).isRejected)
            #expect(try await store.findAccount(account)?.passwordHash == "new")
            #expect(try await store.resetPassword(codeHash: [7], passwordHash: "stolen", now: .start) == nil)
            let again = try await store.changePassword(
                of: account, verified: "new", passwordHash: "newer", keeping: family, now: .start)
            #expect(again?.revoked == [])
        }
    }

    static let expiry = Instant.start.plus(days: 30)

    private func withFamily(_ body: (Store, UUID, AccountID) async throws -> Void) async throws {
        try await StoreFixture.with { fixture in
            let (family, account) = try await Self.makeFamily(fixture)
            try await body(fixture.store, family, account)
        }
    }

    /// A family whose first token has digest 1.
    private static func makeFamily(_ fixture: StoreFixture) async throws -> (UUID, AccountID) {
        let account = try await fixture.makeAccount()
        let family = UUID()
        _ = try await fixture.store.insertFamily(
            family, of: account, verified: "hash", tokenHash: [1], now: .start, expiresAt: expiry)
        return (family, account)
    }
}

extension Store {
    /// Numbers represent the digests of tokens.
    fileprivate func exchange(_ token: Int, for successor: Int, now: Instant = .start) async throws
        -> RefreshOutcome
    {
        try await rotate(tokenHash: [UInt8(token)], successorHash: [UInt8(successor)], now: now)
    }
}

extension RefreshOutcome {
    fileprivate var isRotated: Bool { if case .rotated = self { true } else { false } }
    fileprivate var isRejected: Bool { if case .rejected = self { true } else { false } }
    fileprivate var isReplayed: Bool { if case .replayed = self { true } else { false } }
}
