import Foundation
import SaunterCore
import SaunterStore
import Synchronization

/// Browser sessions. The cookie contains a random token that belongs to a login, so that logging out, a new password
/// and an erasure end the session too. Scripts cannot read the cookie.
package struct WebSessions: Sendable {
    /// How long a link that logs in is valid: one day, in seconds.
    package static let linkLifetimeSeconds = 86_400
    /// How long a session stays in the cache, in milliseconds. A revoked login ends at once, because every request also
    /// checks `RevocationList`.
    private static let cacheMilliseconds: Int64 = 60_000
    private static let maximumCached = 50_000

    private let store: Store
    private let keys: KeyRing
    private let revocations: RevocationList
    private let cache = SessionCache()

    init(store: Store, keys: KeyRing, revocations: RevocationList) {
        self.store = store
        self.keys = keys
        self.revocations = revocations
    }

    /// Starts the session of a login.
    /// - Parameters:
    ///   - accessToken: an access token of the login.
    ///   - isPasswordEntered: whether the login needed a password. A link needs none.
    /// - Returns: the value of the cookie.
    /// - Throws: `token-invalid`.
    package func start(
        with accessToken: String, isPasswordEntered: Bool, now: Instant
    ) async throws -> String {
        let claims = try await keys.verify(accessToken, now: now)
        let token = RandomToken.make()
        try await store.insertWebSession(
            token.digest, of: claims.family, now: now, confirmedAt: isPasswordEntered ? now : nil)
        return token.text
    }

    /// Replaces the login of a session after its account got a password, so that the former cookie is worth nothing.
    /// - Parameter former: the caller, whose login ends.
    /// - Returns: the value of the new cookie.
    /// - Throws: `token-invalid` if the account was erased, or its password was changed in the meantime.
    package func replace(_ former: Identity, now: Instant) async throws -> String {
        let token = RandomToken.make()
        guard let account = try await store.findAccount(former.account),
            try await store.replaceLogin(
                former.family, of: account, by: UUID(), tokenHash: token.digest, now: now)
        else { throw Problem(.tokenInvalid, "Log in.") }
        revocations.add([former.family], at: now)
        return token.text
    }

    /// The caller of a request with this cookie; nil if the session has ended.
    /// - Parameters:
    ///   - isUse: whether the request keeps the session of a study team open.
    ///   - isPage: whether a page is requested, which extends the login of an anonymous account once a day.
    func identity(
        of cookie: String, withGrants: Bool, isUse: Bool, isPage: Bool, now: Instant
    ) async throws -> Identity? {
        let digest = RandomToken.digest(of: cookie)
        var session: WebSession
        if let cached = cache.find(digest, after: now.adding(milliseconds: -Self.cacheMilliseconds)) {
            session = cached
        } else if let found = try await store.findWebSession(digest, now: now) {
            cache.insert(digest, found, now: now, maximum: Self.maximumCached)
            session = found
        } else {
            return nil
        }
        guard session.expiresAt > now, !revocations.contains(session.family) else { return nil }
        if isPage, session.needsExtension(at: now) {
            session = session.extended(
                until: try await store.recordUse(of: session.account, session.family, now: now), at: now)
            cache.insert(digest, session, now: now, maximum: Self.maximumCached)
            session.renewedCookie = cookie
        }
        let grants = withGrants ? try await store.listGrants(session.account) : []
        guard !grants.isEmpty else {
            return Identity(account: session.account, family: session.family, session: session)
        }
        // Another server may have stored a newer use or password, so the session of a study team is read again.
        guard let current = try await store.findWebSession(digest, now: now) else { return nil }
        if isUse, current.needsRecordOfUse(at: now) { try await store.recordUse(ofSession: digest, now: now) }
        return Identity(
            account: current.account, family: current.family, grants: grants, session: current)
    }
}

/// Sessions that were found recently, by the digest of their cookie.
private final class SessionCache: Sendable {
    private struct Entry {
        var session: WebSession
        var foundAt: Instant
    }

    private let entries = Mutex<[[UInt8]: Entry]>([:])

    /// The session if it was found after this instant.
    func find(_ digest: [UInt8], after instant: Instant) -> WebSession? {
        entries.withLock { entries in
            guard let entry = entries[digest], entry.foundAt > instant else { return nil }
            return entry.session
        }
    }

    func insert(_ digest: [UInt8], _ session: WebSession, now: Instant, maximum: Int) {
        entries.withLock { entries in
            if entries.count >= maximum { entries.removeAll(keepingCapacity: true) }
            entries[digest] = Entry(session: session, foundAt: now)
        }
    }
}
