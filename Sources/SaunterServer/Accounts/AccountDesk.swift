import Foundation
import Logging
import SaunterCore
import SaunterStore

/// Registration, logins and what follows from them. Whatever a stranger tries, known and unknown addresses get the same answer in the same time.
struct AccountDesk: Sendable {
    static let refreshLifetimeSeconds = 90 * 86_400
    static let resetLifetimeSeconds = 3600

    let store: Store
    let keys: KeyRing
    let revocations: RevocationList
    let passwords: PasswordHashing
    let perAddress = Throttle(Allowance("address", count: 200, perSeconds: 600))
    /// Whole campuses refresh from one address, each device every ten minutes.
    let refreshes = Throttle(Allowance("refreshes", count: 20_000, perSeconds: 600))
    let perAccount = Throttle(Allowance("account", count: 10, perSeconds: 600))
    /// Each journey is laid over all that is planned: nobody travels every half hour for days.
    let journeys = Throttle(Allowance("journeys", count: 48, perSeconds: 86_400))
    let resets = Throttle(Allowance("resets", count: 5, perSeconds: 3600))
    /// Clients fetch page by page, table after table.
    let reads = Throttle(Allowance("reads", count: 6000, perSeconds: 600))

    init(store: Store, keys: KeyRing, revocations: RevocationList, passwords: PasswordHashing) {
        self.store = store
        self.keys = keys
        self.revocations = revocations
        self.passwords = passwords
    }

    /// The access token of a request, checked: signature, times, and that its login has not ended. Grants are looked up where a role is asked for.
    func identity(of token: String, for kind: AccessKind, now: Instant) async throws -> Identity {
        if kind == .reader {
            let reader = try await reader(token, now: now)
            try await reads.admit(.account(reader.account), now: now)
            return reader
        }
        return try await person(token, for: kind, now: now)
    }

    /// Somebody who is logged in.
    func person(_ token: String, for kind: AccessKind, now: Instant) async throws -> Identity {
        let claims = try await keys.verify(token, now: now)
        guard await !revocations.contains(claims.family) else {
            throw Problem(.tokenInvalid, "The access token is not valid.")
        }
        let grants = kind.role == nil ? [] : try await store.listGrants(claims.account)
        return Identity(account: claims.account, family: claims.family, grants: grants)
    }

    /// A new login: a family of refresh tokens, and its first pair.
    func logIn(_ account: AccountID, now: Instant) async throws -> TokenPair {
        let family = UUID()
        let refresh = RandomToken.make()
        let expiresAt = now.adding(seconds: Self.refreshLifetimeSeconds)
        try await store.insertFamily(
            family, of: account, tokenHash: refresh.digest, now: now, expiresAt: expiresAt)
        return try await pair(account, family, refresh, expiresAt: expiresAt, now: now)
    }

    func refresh(_ token: String, now: Instant, requestID: String) async throws -> TokenPair {
        let successor = RandomToken.make()
        let outcome = try await store.rotate(
            tokenHash: RandomToken.digest(of: token), successorHash: successor.digest, now: now)
        switch outcome {
        case .rotated(let account, let family, let expiresAt):
            return try await pair(account, family, successor, expiresAt: expiresAt, now: now)
        case .replayed(let account, let family):
            await revocations.add([family], at: now)
            try await store.record(
                AuditEntry(actor: .account(account), action: "refresh_token_replayed", requestID: requestID),
                at: now)
            fallthrough
        case .refused:
            throw Problem(.tokenInvalid, "The refresh token is not valid; log in again.")
        }
    }

    private func pair(
        _ account: AccountID, _ family: UUID, _ refresh: RandomToken, expiresAt: Instant, now: Instant
    ) async throws -> TokenPair {
        TokenPair(
            account: account, accessToken: try await keys.issue(account: account, family: family, now: now),
            refreshToken: refresh.text,
            refreshSeconds: Int(expiresAt.milliseconds(since: now) / 1000))
    }

    /// The account of this address and password; the same work and the same refusal for both kinds of wrong.
    func account(email: String, password: String, from address: IPAddress?, now: Instant) async throws
        -> Account
    {
        try await perAddress.admit(.address(address), now: now)
        try await perAccount.admit(.email(email), now: now)
        let account = try await store.findAccount(email: email)
        let stored = account.map { PasswordHash(stored: $0.passwordHash) }
        guard try await passwords.verify(password, against: stored), let account, let stored else {
            throw Problem(.credentialsInvalid)
        }
        await perAccount.clear(.email(email))
        if stored.needsRehash {
            try await store.replacePasswordHash(
                account.id, stored.text, by: try await hash(password))
        }
        return account
    }

    /// Whether this is the password of somebody who is logged in.
    func confirm(_ account: Account, password: String, now: Instant) async throws {
        try await perAccount.admit(.account(account.id), now: now)
        guard try await passwords.verify(password, against: PasswordHash(stored: account.passwordHash)) else {
            throw Problem(.credentialsInvalid)
        }
    }

    func hash(_ password: String) async throws -> String {
        try await passwords.hash(password).text
    }

    /// Queues a mail with a code where the address is known. The caller answers the same either way; the work for a known address is done after
    /// the answer, so that its time tells nothing.
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

/// What a login is given.
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
