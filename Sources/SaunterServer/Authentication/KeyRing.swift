import Foundation
import SaunterCore
import SaunterStore

/// The keys that sign access tokens. All servers of one database share them; a new key is created every 30 days.
actor KeyRing {
    private static let newKeyAfterSeconds = 30 * 86_400
    /// Two days longer, so that the key of a token is still known when the token expires.
    private static let retirementSeconds = 32 * 86_400
    private static let reloadSeconds = 3600
    /// A token with an unknown key may come from another server that has just created a key. The keys are then loaded
    /// again, but not more often than this.
    private static let unknownKeySeconds = 10

    private let store: Store
    private let issuer: String
    private let verified = VerifiedTokens()
    private var tokens: AccessTokens?
    private var loadedAt = Instant.minimum
    /// All requests that need the keys at the same time wait for one query.
    private var loading: Task<AccessTokens, any Error>?

    init(store: Store, issuer: String) {
        self.store = store
        self.issuer = issuer
    }

    /// Issues an access token.
    func issue(account: AccountID, family: UUID, now: Instant) async throws -> String {
        try await current(now).issue(account: account, family: family, now: now)
    }

    /// Verifies an access token; its signature only if it is not in the cache. Does not check whether the login was
    /// revoked.
    /// - Throws: `token-invalid`.
    nonisolated func verify(_ token: String, now: Instant) async throws -> AccessClaims {
        if let claims = verified.find(token, now: now) { return claims }
        let claims = try await check(token, now: now)
        verified.insert(token, claims, now: now)
        return claims
    }

    private func check(_ token: String, now: Instant) async throws -> AccessClaims {
        let tokens = try await current(now)
        let isStale = isOlder(Self.unknownKeySeconds, now)
        guard isStale, tokens.mayHaveNewKey(token) else {
            return try await tokens.verify(token, now: now)
        }
        return try await load(now).verify(token, now: now)
    }

    private func current(_ now: Instant) async throws -> AccessTokens {
        if let tokens, !isOlder(Self.reloadSeconds, now) { return tokens }
        return try await load(now)
    }

    /// Whether the keys were loaded more than `seconds` ago, or more than 60 s in the future because the clock was set
    /// back. (A request that began a little earlier may see a time in the near future.)
    private func isOlder(_ seconds: Int, _ now: Instant) -> Bool {
        now.adding(seconds: 60) < loadedAt || now > loadedAt.adding(seconds: seconds)
    }

    private func load(_ now: Instant) async throws -> AccessTokens {
        if let loading { return try await loading.value }
        let task = Task { try await read(now) }
        loading = task
        defer { loading = nil }
        let loaded = try await task.value
        tokens = loaded
        loadedAt = now
        return loaded
    }

    private nonisolated func read(_ now: Instant) async throws -> AccessTokens {
        let stored = try await store.rotateSigningKeys(
            newestSince: now.adding(seconds: -Self.newKeyAfterSeconds), now: now
        ) {
            let key = SigningKey.make(
                id: UUID().uuidString.lowercased(), createdAt: now,
                retiresAt: now.adding(seconds: Self.retirementSeconds))
            return StoredSigningKey(
                id: key.id, key: key.privateKey, createdAt: key.createdAt, retiresAt: key.retiresAt)
        }
        return try await AccessTokens(
            issuer: issuer,
            keys: stored.map {
                SigningKey(id: $0.id, privateKey: $0.key, createdAt: $0.createdAt, retiresAt: $0.retiresAt)
            })
    }
}
