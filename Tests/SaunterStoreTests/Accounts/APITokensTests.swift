import Foundation
import SaunterCore
import Testing

@testable import SaunterStore

@Suite struct APITokensTests {
    @Test func `a token is found by its digest and is invalid after it is revoked`() async throws {
        try await StoreFixture.with { fixture in
            let secret = APITokenSecret.make()
            let token = Self.token(of: try await fixture.makeAccount())
            #expect(
                try await fixture.store.insert(
                    token, digest: secret.digest, maximum: 1, audit: StoreFixture.entry()))

            let found = try #require(await fixture.store.findAPIToken(digest: secret.digest))
            #expect(found == token && found.isValid(at: .start))
            #expect(!found.isValid(at: token.expiresAt))

            #expect(
                try await fixture.store.revokeAPIToken(
                    token.id, study: "s", account: token.account, audit: StoreFixture.entry(), now: .start))
            let revoked = try #require(await fixture.store.findAPIToken(digest: secret.digest))
            #expect(!revoked.isValid(at: .start))
        }
    }

    @Test func `no account revokes or lists tokens of others, and the number of tokens is limited`()
        async throws
    {
        try await StoreFixture.with { fixture in
            let store = fixture.store
            let token = Self.token(of: try await fixture.makeAccount())
            let other = try await fixture.makeAccount()
            #expect(try await store.insert(token, digest: [1], maximum: 1, audit: StoreFixture.entry()))
            let second = Self.token(of: token.account)
            #expect(try await !store.insert(second, digest: [2], maximum: 1, audit: StoreFixture.entry()))

            #expect(
                try await !store.revokeAPIToken(
                    token.id, study: "s", account: other, audit: StoreFixture.entry(), now: .start))
            #expect(
                try await !store.revokeAPIToken(
                    token.id, study: "t", account: nil, audit: StoreFixture.entry(), now: .start))
            #expect(try await store.listAPITokens(of: "s", account: other, after: nil, limit: 10) == [])
            #expect(try await store.listAPITokens(of: "s", account: nil, after: nil, limit: 10) == [token])
            #expect(try await store.listAPITokens(of: "s", account: nil, after: token.id, limit: 10) == [])
        }
    }

    @Test func `a token that ended with the role stays revoked when the role is granted again`() async throws
    {
        try await StoreFixture.with { fixture in
            let store = fixture.store
            let token = Self.token(of: try await fixture.makeAccount())
            for role in [Role.researcher, .coordinator] {
                try await store.upsert(Grant(role: role, study: "s"), for: token.account, now: .start)
            }
            _ = try await store.insert(token, digest: [1], maximum: 1, audit: StoreFixture.entry())

            _ = try await store.revoke(.coordinator, study: "s", of: token.account, by: .system, now: .start)
            #expect(try await store.findAPIToken(digest: [1])?.isValid(at: .start) == true)
            _ = try await store.revoke(.researcher, study: "s", of: token.account, by: .system, now: .start)
            try await store.upsert(Grant(role: .researcher, study: "s"), for: token.account, now: .start)

            #expect(try await store.findAPIToken(digest: [1])?.revokedAt == .start)
        }
    }

    @Test func `a token loses the profile full with the permission of its account, and does not get it back`()
        async throws
    {
        try await StoreFixture.with { fixture in
            let store = fixture.store
            var token = Self.token(of: try await fixture.makeAccount())
            token.profile = .full
            let full = Grant(role: .researcher, study: "s", fullExport: true)
            try await store.upsert(full, for: token.account, now: .start)
            _ = try await store.insert(token, digest: [1], maximum: 1, audit: StoreFixture.entry())

            try await store.upsert(full, for: token.account, now: .start)
            #expect(try await store.findAPIToken(digest: [1])?.profile == .full)
            try await store.upsert(Grant(role: .researcher, study: "s"), for: token.account, now: .start)
            try await store.upsert(full, for: token.account, now: .start)

            let found = try await store.findAPIToken(digest: [1])
            #expect(found?.profile == .coded)
            #expect(found?.revokedAt == nil)
        }
    }

    @Test func `an erased account gets no token`() async throws {
        try await StoreFixture.with { fixture in
            await #expect(throws: ConcurrentErasure.self) {
                try await fixture.store.insert(
                    Self.token(of: AccountID(UUID())), digest: [1], maximum: 1, audit: StoreFixture.entry())
            }
        }
    }

    @Test func `the last use of a token is recorded to the hour`() async throws {
        try await StoreFixture.with { fixture in
            let token = Self.token(of: try await fixture.makeAccount())
            _ = try await fixture.store.insert(token, digest: [1], maximum: 1, audit: StoreFixture.entry())
            for minutes in [0, 30, 61] {
                let now = Instant.start.adding(seconds: minutes * 60)
                try await fixture.store.recordUse(of: token.id, now: now, before: now.adding(seconds: -3600))
            }
            let used = try await fixture.store.findAPIToken(digest: [1])?.usedAt
            #expect(used == Instant.start.adding(seconds: 61 * 60))
        }
    }

    @Test(arguments: [
        ("0123456789ABCDEF0123456789abcdef", true), ("0123456789ABCDEF0123456789abcde", false),
        ("0123456789ABCDEF0123456789abcdeg", false), ("", false), ("eyJ.a.b", false),
    ])
    func `a secret has 32 hexadecimal digits`(text: String, isOne: Bool) {
        #expect((APITokenSecret(presented: text) != nil) == isOne)
    }

    private static func token(of account: AccountID) -> APIToken {
        APIToken(
            id: APITokenID(UUID()), account: account, study: "s", label: "l", profile: .coded,
            createdAt: .start,
            expiresAt: Instant.start.adding(seconds: 10_000))
    }
}
