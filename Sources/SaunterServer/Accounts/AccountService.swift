import Foundation
import Logging
import SaunterCore
import SaunterStore

/// Accounts, logins and the tokens that belong to them. For known and unknown e-mail addresses the responses are the
/// same and take the same time.
struct AccountService: Sendable {
    static let refreshLifetimeSeconds = 90 * 86_400
    static let resetLifetimeSeconds = 3600
    /// The use of an API token is recorded at most once per hour.
    private static let usePrecisionSeconds = 3600

    let store: Store
    let keys: KeyRing
    let revocations: RevocationList
    let passwords: PasswordHasher
    /// Registrations, logins and password resets from one network address.
    let addressThrottle = Throttle(Allowance("address", count: 200, perSeconds: 600))
    /// Token refreshes from one network address. All devices of a campus may share one, and each refreshes every ten
    /// minutes.
    let refreshThrottle = Throttle(Allowance("refreshes", count: 20_000, perSeconds: 600))
    /// Password checks of one account.
    let accountThrottle = Throttle(Allowance("account", count: 10, perSeconds: 600))
    /// Requests of one account that replan all occasions, such as a change of the time zone.
    let replanThrottle = Throttle(Allowance("journeys", count: 48, perSeconds: 86_400))
    /// Password resets of one account.
    let resetThrottle = Throttle(Allowance("resets", count: 5, perSeconds: 3600))
    /// Requests of one account to the routes for readers. Such clients read table after table, page by page.
    let readThrottle = Throttle(Allowance("reads", count: 6000, perSeconds: 600))

    init(store: Store, keys: KeyRing, revocations: RevocationList, passwords: PasswordHasher) {
        self.store = store
        self.keys = keys
        self.revocations = revocations
        self.passwords = passwords
    }

    /// Authenticates the token of a request.
    /// - Parameter kind: the grants are read only if it needs a role.
    /// - Throws: `token-invalid`; `too-many-requests` for readers.
    func authenticate(_ token: String, for kind: AccessKind, now: Instant) async throws -> Identity {
        if kind == .reader {
            let reader = try await authenticateReader(token, now: now)
            try await readThrottle.admit(.account(reader.account), now: now)
            return reader
        }
        return try await authenticateAccount(token, for: kind, now: now)
    }

    /// Verifies an access token, and that its login was not revoked.
    private func authenticateAccount(_ token: String, for kind: AccessKind, now: Instant) async throws
        -> Identity
    {
        let claims = try await keys.verify(token, now: now)
        guard !revocations.contains(claims.family) else {
            throw Problem(.tokenInvalid, "The access token is not valid.")
        }
        let grants = kind.role == nil ? [] : try await store.listGrants(claims.account)
        return Identity(account: claims.account, family: claims.family, grants: grants)
    }

    /// Verifies an access token or an API token. An API token allows only what both the token and its account allow,
    /// and only in its study.
    private func authenticateReader(_ token: String, now: Instant) async throws -> Identity {
        guard let secret = APITokenSecret(presented: token) else {
            return try await authenticateAccount(token, for: .reader, now: now)
        }
        guard let known = try await store.findAPIToken(digest: secret.digest), known.isValid(at: now) else {
            throw Problem(.tokenInvalid, "The API token is not valid.")
        }
        let stale = now.adding(seconds: -Self.usePrecisionSeconds)
        if known.usedAt.map({ $0 < stale }) ?? true {
            try await store.recordUse(of: known.id, now: now, before: stale)
        }
        let grants = try await store.listGrants(known.account)
            .filter { $0.study == known.study && $0.role != .admin }
        let isFull = known.profile == .full && grants.contains(where: \.fullExport)
        return Identity(
            account: known.account, family: known.id.uuid,
            grants: grants.isEmpty
                ? [] : [Grant(role: .researcher, study: known.study, fullExport: isFull)],
            apiToken: known.id)
    }

    /// Creates a login, which is a family of refresh tokens.
    /// - Returns: its first token pair.
    func logIn(_ account: AccountID, now: Instant) async throws -> TokenPair {
        let family = UUID()
        let refresh = RandomToken.make()
        let expiresAt = now.adding(seconds: Self.refreshLifetimeSeconds)
        try await store.insertFamily(
            family, of: account, tokenHash: refresh.digest, now: now, expiresAt: expiresAt)
        return try await makeTokenPair(account, family, refresh, expiresAt: expiresAt, now: now)
    }

    /// Exchanges a refresh token for a new token pair. A refresh token that was already used revokes its login.
    /// - Throws: `token-invalid`.
    func refresh(_ token: String, now: Instant, requestID: String) async throws -> TokenPair {
        let successor = RandomToken.make()
        let outcome = try await store.rotate(
            tokenHash: RandomToken.digest(of: token), successorHash: successor.digest, now: now)
        switch outcome {
        case .rotated(let account, let family, let expiresAt):
            return try await makeTokenPair(account, family, successor, expiresAt: expiresAt, now: now)
        case .replayed(let account, let family):
            revocations.add([family], at: now)
            try await store.record(
                AuditEntry(actor: .account(account), action: "refresh_token_replayed", requestID: requestID),
                at: now)
            fallthrough
        case .rejected:
            throw Problem(.tokenInvalid, "The refresh token is not valid. Log in again.")
        }
    }

    private func makeTokenPair(
        _ account: AccountID, _ family: UUID, _ refresh: RandomToken, expiresAt: Instant, now: Instant
    ) async throws -> TokenPair {
        TokenPair(
            account: account, accessToken: try await keys.issue(account: account, family: family, now: now),
            refreshToken: refresh.text,
            refreshSeconds: Int(expiresAt.milliseconds(since: now) / 1000))
    }

    /// Checks an e-mail address and a password. A wrong address takes the same time and gets the same error as a wrong
    /// password.
    /// - Throws: `credentials-invalid`, `too-many-requests`.
    func verifyCredentials(email: String, password: String, from address: IPAddress?, now: Instant)
        async throws
        -> Account
    {
        try await addressThrottle.admit(.address(address), now: now)
        try await accountThrottle.admit(.email(email), now: now)
        let account = try await store.findAccount(email: email)
        let stored = account.map { PasswordHash(stored: $0.passwordHash) }
        guard try await passwords.verify(password, against: stored), let account, let stored else {
            throw Problem(.credentialsInvalid)
        }
        await accountThrottle.clear(.email(email))
        if stored.needsRehash {
            try await store.replacePasswordHash(
                account.id, stored.text, by: try await hash(password))
        }
        return account
    }

    /// Checks the password of an account that is logged in.
    /// - Throws: `credentials-invalid`, `too-many-requests`.
    func verifyPassword(of account: Account, _ password: String, now: Instant) async throws {
        try await accountThrottle.admit(.account(account.id), now: now)
        guard try await passwords.verify(password, against: PasswordHash(stored: account.passwordHash)) else {
            throw Problem(.credentialsInvalid)
        }
    }

    /// The hash of a password, as it is stored.
    func hash(_ password: String) async throws -> String {
        try await passwords.hash(password).text
    }

    /// Queues a mail with a reset code if the address has an account. The work happens after the response, so that the
    /// time of the response does not depend on whether the account exists.
    func startReset(email: String, now: Instant, logger: Logger) {
        Task {
            do {
                guard let account = try await store.findAccount(email: email) else { return }
                let code = RandomToken.make()
                try await store.insertPasswordReset(
                    codeHash: code.digest, account: account.id, message: ["code": .string(code.text)],
                    now: now,
                    expiresAt: now.adding(seconds: Self.resetLifetimeSeconds))
            } catch {
                logger.error("a password reset could not be queued", metadata: ["error": "\(error)"])
            }
        }
    }
}

/// The access token and refresh token of a login.
struct TokenPair: Sendable {
    var account: AccountID
    var accessToken: String
    var refreshToken: String
    var refreshSeconds: Int

    var json: JSON {
        [
            "account_id": .id(account), "access_token": .string(accessToken), "token_type": "Bearer",
            "expires_in": .int(AccessTokens.lifetimeSeconds), "refresh_token": .string(refreshToken),
            "refresh_expires_in": .int(refreshSeconds),
        ]
    }

    /// The schema of `json`.
    static let schema = Schema.named(
        "TokenPair",
        .object([
            .required("account_id", .id), .required("access_token", .string()),
            .required("token_type", .string(values: ["Bearer"])),
            .required("expires_in", .integer(min: 1), "Seconds."),
            .required("refresh_token", .string()),
            .required("refresh_expires_in", .integer(min: 0), "Seconds."),
        ]))
}
