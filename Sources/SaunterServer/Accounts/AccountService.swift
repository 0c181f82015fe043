import Foundation
import Logging
import SaunterCore
import SaunterStore

/// Accounts, logins and the tokens that belong to them. For known and unknown e-mail addresses the responses are the
/// same and take the same time.
struct AccountService: Sendable {
    static let resetLifetimeSeconds = OutgoingMail.Kind.passwordReset.lifetimeSeconds
    /// The use of an API token is recorded at most once per hour.
    private static let usePrecisionSeconds = 3600

    let store: Store
    let keys: KeyRing
    let revocations: RevocationList
    let passwords: PasswordHasher
    private let audit: HourlyAudit
    /// Registrations, password resets, codes from mails and login links from one network address.
    let addressThrottle = Throttle(Allowance("address", count: 200, perSeconds: 600))
    /// Logins from one network address, without those of known devices.
    let loginThrottle = Throttle(Allowance("logins", count: 200, perSeconds: 600))
    /// Logins to one account by its known devices.
    let deviceThrottle = Throttle(Allowance("device", count: 20, perSeconds: 600))
    /// Wrong passwords for one account from one network address. Above the limit the response is 429, but a correct
    /// password is still accepted.
    let wrongPasswordThrottle = Throttle(Allowance("account", count: 10, perSeconds: 600))
    /// Passwords that are verified for one account from one network address, until one is correct.
    let guessThrottle = Throttle(Allowance("guesses", count: 50, perSeconds: 3600))
    /// Token refreshes, and logins of known devices, from one network address. All devices of a campus may share one,
    /// and each refreshes every ten minutes.
    let refreshThrottle = Throttle(Allowance("refreshes", count: 20_000, perSeconds: 600))
    /// Password checks of a device that is logged in.
    let accountThrottle = Throttle(Allowance("account", count: 10, perSeconds: 600))
    /// Requests of one account that replan all occasions, such as a change of the time zone.
    let replanThrottle = Throttle(Allowance("journeys", count: 48, perSeconds: 86_400))
    /// Password resets of one account.
    let resetThrottle = Throttle(Allowance("resets", count: 5, perSeconds: 3600))
    /// Mails with a code to one address that is not verified, and requests of one account for another code.
    let verificationThrottle = Throttle(Allowance("verifications", count: 5, perSeconds: 3600))
    /// Invitations that one account sends.
    let invitationThrottle = Throttle(Allowance("invitations", count: 30, perSeconds: 3600))
    /// Invitations to one address.
    let invitedThrottle = Throttle(Allowance("invited", count: 5, perSeconds: 3600))
    /// Enrolment codes that one account sends, until one is accepted.
    let codeThrottle = Throttle(Allowance("enrolment-codes", count: 10, perSeconds: 3600))
    /// Enrolment codes from one network address. All participants of a course may share one.
    let codeAddressThrottle = Throttle(Allowance("enrolment-codes", count: 200, perSeconds: 600))
    /// Archives of the own data that one account requests.
    let ownDataThrottle = Throttle(Allowance("own-data", count: 5, perSeconds: 3600))
    /// Purchases that one account sends.
    let purchaseThrottle = Throttle(Allowance("purchases", count: 30, perSeconds: 3600))
    /// Notices of stores from one network address. Each costs the server the check of three signatures.
    let noticeThrottle = Throttle(Allowance("purchase-notices", count: 6000, perSeconds: 600))
    /// Reports of faults of pages from one network address.
    let beaconThrottle = Throttle(Allowance("beacons", count: 60, perSeconds: 600))
    /// Requests of one account to the routes for readers. Such clients read table after table, page by page.
    let readThrottle = Throttle(Allowance("reads", count: 6000, perSeconds: 600))

    init(
        store: Store, keys: KeyRing, revocations: RevocationList, passwords: PasswordHasher,
        audit: HourlyAudit
    ) {
        self.store = store
        self.keys = keys
        self.revocations = revocations
        self.passwords = passwords
        self.audit = audit
    }

    /// Authenticates the token of a request.
    /// - Parameter kind: the grants are read only if it needs a role.
    /// - Throws: `token-invalid`; `too-many-requests` for readers.
    func authenticate(_ token: String, for kind: AccessKind, now: Instant) async throws -> Identity {
        if kind == .reader {
            let reader = try await authenticateReader(token, now: now)
            let decision = await readThrottle.attempt(.account(reader.account), now: now)
            guard decision.isAllowed else {
                try await audit.record(
                    AuditEntry(
                        actor: .account(reader.account), action: "throttled",
                        detail: ["limit": .string(decision.limit.name)]), at: now)
                throw decision.limit.exceeded
            }
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
        let grants = !kind.needsGrants ? [] : try await store.listGrants(claims.account)
        return Identity(
            account: claims.account, family: claims.family, grants: grants, expiresAt: claims.expiresAt)
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
            .filter { $0.study == known.study && $0.role.readsAnswers }
        let isFull = known.profile == .full && grants.contains(where: \.fullExport)
        let seesArms = grants.contains(where: \.seesArms)
        return Identity(
            account: known.account, family: known.id.uuid,
            grants: grants.isEmpty
                ? []
                : [
                    Grant(
                        role: .researcher, study: known.study, fullExport: isFull, seesArms: seesArms)
                ],
            apiToken: known.id)
    }

    /// Creates a login, which is a family of refresh tokens.
    /// - Parameter account: contains the hash against which the password was verified.
    /// - Returns: its first token pair; nil if the account was erased, or has another hash by now.
    func insertLogin(of account: Account, now: Instant) async throws -> TokenPair? {
        let family = UUID()
        let refresh = RandomToken.make()
        let expiresAt = now.adding(seconds: account.kind.loginSeconds)
        let isInserted = try await store.insertFamily(
            family, of: account.id, verified: account.passwordHash, tokenHash: refresh.digest, now: now,
            expiresAt: expiresAt)
        guard isInserted else { return nil }
        return try await makeTokenPair(
            account.id, account.kind, family, refresh, expiresAt: expiresAt, now: now)
    }

    /// Verifies an e-mail address and a password, and creates a login.
    /// - Parameter credentials: a refresh token in it shows that the device is known.
    /// - Throws: `credentials-invalid`, `too-many-requests`.
    func logIn(
        _ credentials: Credentials, from address: IPAddress?, now: Instant, requestID: String? = nil
    ) async throws -> TokenPair {
        // Another login may have stored the hash of the same password again, with newer parameters. Then the second
        // verification succeeds.
        for _ in 1...2 {
            let account = try await verify(credentials, from: address, now: now)
            guard let tokens = try await insertLogin(of: account, now: now) else { continue }
            try await store.record(
                AuditEntry(actor: .account(account.id), action: "logged_in", requestID: requestID), at: now)
            return tokens
        }
        throw Problem(.credentialsInvalid)
    }

    /// Exchanges a refresh token for a new token pair. If a copy of the token was used, its login is revoked
    /// (`RefreshOutcome.replayed`).
    /// - Throws: `token-invalid`.
    func refresh(_ token: String, now: Instant, requestID: String) async throws -> TokenPair {
        let successor = RandomToken.make()
        let outcome = try await store.rotate(
            tokenHash: RandomToken.digest(of: token), successorHash: successor.digest, now: now)
        switch outcome {
        case .rotated(let account, let kind, let family, let expiresAt):
            return try await makeTokenPair(account, kind, family, successor, expiresAt: expiresAt, now: now)
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
        _ account: AccountID, _ kind: AccountKind, _ family: UUID, _ refresh: RandomToken,
        expiresAt: Instant, now: Instant
    ) async throws -> TokenPair {
        TokenPair(
            account: account, kind: kind,
            accessToken: try await keys.issue(account: account, family: family, now: now),
            refreshToken: refresh.text,
            refreshSeconds: Int(expiresAt.milliseconds(since: now) / 1000))
    }

    /// Checks an e-mail address and a password. A wrong address takes the same time and gets the same error as a wrong
    /// password.
    ///
    /// Others cannot lock the owner of an account out, because wrong passwords count only for their network address,
    /// and a known device has a separate limit.
    /// - Returns: the account with the hash against which the password was verified, or its replacement.
    /// - Throws: `credentials-invalid`, `too-many-requests`.
    private func verify(_ credentials: Credentials, from address: IPAddress?, now: Instant) async throws
        -> Account
    {
        let isKnown = try await isKnownDevice(credentials, from: address, now: now)
        if !isKnown { try await loginThrottle.admit(.address(address), now: now) }
        let found = try await store.findAccount(email: credentials.email)
        let stored = found.map { PasswordHash(stored: $0.passwordHash) }
        let key = ThrottleKey.logins(
            email: credentials.email, passwordHash: found?.passwordHash, from: address)
        if !isKnown { try await guessThrottle.admit(key, now: now) }
        let failure = AuditEntry(actor: .anyone, action: "login_failed", account: found?.id)
        guard try await passwords.verify(credentials.password, against: stored), let stored,
            var account = found
        else {
            // In the background: the time until the response must not show whether the entry is new.
            audit.recordLater(failure, at: now)
            if !isKnown { try await wrongPasswordThrottle.admit(key, now: now) }
            throw Problem(.credentialsInvalid)
        }
        if !isKnown {
            await guessThrottle.clear(key)
            await wrongPasswordThrottle.clear(key)
        }
        if stored.needsRehash {
            let hash = try await hash(credentials.password)
            try await store.replacePasswordHash(account.id, stored.text, by: hash)
            account.passwordHash = hash
        }
        return account
    }

    /// Whether the refresh token belongs to an earlier login to the same account, and its known devices have not
    /// reached their limit. Counts against the limits of the network address and of the known devices.
    private func isKnownDevice(_ credentials: Credentials, from address: IPAddress?, now: Instant)
        async throws -> Bool
    {
        guard let token = credentials.refreshToken,
            await refreshThrottle.attempt(.address(address), now: now).isAllowed,
            let account = try await store.findKnownDevice(
                tokenHash: RandomToken.digest(of: token), email: credentials.email)
        else { return false }
        return await deviceThrottle.attempt(.account(account), now: now).isAllowed
    }

    /// Moves the enrolments of an anonymous account to the account with these credentials, and logs in to that account.
    /// The anonymous account and its logins end. Checks the password as a login does, with the same limits.
    /// - Parameter id: the caller's anonymous account.
    /// - Returns: the first token pair of the login, and the enrolments that moved.
    /// - Throws: `credentials-invalid`, `too-many-requests`, `token-invalid`, `AdoptionFault`.
    func adopt(
        _ id: AccountID, by credentials: Credentials, from address: IPAddress?, now: Instant,
        requestID: String
    ) async throws -> (tokens: TokenPair, moved: [EnrolmentID]) {
        let account = try await verify(credentials, from: address, now: now)
        guard
            let adopted = try await store.adopt(anonymous: id, by: account, now: now, requestID: requestID)
        else { throw Problem(.tokenInvalid, "The access token is not valid.") }
        revocations.add(adopted.ended, at: now)
        // The enrolments have moved. If the password was changed since, the participant logs in with the new one.
        guard let tokens = try await insertLogin(of: account, now: now) else {
            throw Problem(.tokenInvalid, "Log in again.")
        }
        return (tokens, adopted.moved)
    }

    /// Checks the password of an account that is logged in.
    /// - Parameter family: the login of the caller. Only its own wrong passwords count.
    /// - Throws: `credentials-invalid`, `too-many-requests`.
    func verifyPassword(of account: Account, _ password: String, login family: UUID, now: Instant)
        async throws
    {
        try await accountThrottle.admit(.login(family), now: now)
        guard try await passwords.verify(password, against: PasswordHash(stored: account.passwordHash)) else {
            try await audit.record(
                AuditEntry(actor: .account(account.id), action: "password_wrong"), at: now)
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
                try await sendReset(to: account.id, now: now)
            } catch {
                logger.error("a password reset could not be queued", metadata: ["error": "\(error)"])
            }
        }
    }

    /// Queues a mail with a reset code for an account.
    func sendReset(to account: AccountID, now: Instant) async throws {
        let code = RandomToken.make()
        try await store.insertPasswordReset(
            codeHash: code.digest, account: account, message: ["code": .string(code.text)], now: now,
            expiresAt: now.adding(seconds: Self.resetLifetimeSeconds))
    }
}

/// What a client sends to log in.
struct Credentials: Sendable {
    var email: String
    var password: String
    /// The last refresh token of the device; nil on a new device.
    var refreshToken: String?
}

/// The access token and refresh token of a login.
struct TokenPair: Sendable {
    var account: AccountID
    var kind: AccountKind
    var accessToken: String
    var refreshToken: String
    var refreshSeconds: Int

    var json: JSON {
        [
            "account_id": .id(account), "account_kind": .string(kind.rawValue),
            "access_token": .string(accessToken), "token_type": "Bearer",
            "expires_in": .int(AccessTokens.lifetimeSeconds), "refresh_token": .string(refreshToken),
            "refresh_expires_in": .int(refreshSeconds),
        ]
    }

    /// The schema of `json`.
    static let schema = Schema.named(
        "TokenPair",
        .object([
            .required("account_id", .id, "The id of the account."),
            .required(
                "account_kind", .string(values: AccountKind.allCases.map(\.rawValue)),
                "The kind of the account."),
            .required(
                "access_token", .string(),
                "The token for the header `Authorization: Bearer`. It is valid for ten minutes."),
            .required("token_type", .string(values: ["Bearer"]), "The type for the header `Authorization`."),
            .required(
                "expires_in", .integer(min: 1), "The time until the access token expires, in seconds."),
            .required(
                "refresh_token", .string(),
                "The token that renews both tokens. It stays valid until the token that replaces it is used."
            ),
            .required(
                "refresh_expires_in", .integer(min: 0),
                "The time until the refresh token expires, in seconds."),
        ]))
}
