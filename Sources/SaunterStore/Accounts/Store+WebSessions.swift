import Foundation
import Postgres
import SaunterCore

/// A browser session and the login to which it belongs.
package struct WebSession: Sendable, Hashable {
    /// SHA-256 of the cookie's value.
    package let tokenHash: [UInt8]
    /// The account that logged in.
    package let account: AccountID
    /// The login. If it is revoked, the session is invalid.
    package let family: UUID
    /// From this instant on, the session is invalid.
    package private(set) var expiresAt: Instant
    /// When the password was last entered; nil after a login by a link.
    package let confirmedAt: Instant?
    /// When a member of a study team last used the session, to the minute.
    package let seenAt: Instant?
    /// The kind of the account.
    package let kind: AccountKind
    /// When an anonymous account was last used, to the day; nil for other accounts.
    package private(set) var usedAt: Instant?
    /// The value of the cookie if this request extended the login, so that the browser keeps the cookie as long.
    package var renewedCookie: String?

    /// Creates a session as it is stored.
    package init(
        tokenHash: [UInt8], account: AccountID, family: UUID, expiresAt: Instant, confirmedAt: Instant?,
        seenAt: Instant?, kind: AccountKind = .registered, usedAt: Instant? = nil
    ) {
        self.tokenHash = tokenHash
        self.account = account
        self.family = family
        self.expiresAt = expiresAt
        self.confirmedAt = confirmedAt
        self.seenAt = seenAt
        self.kind = kind
        self.usedAt = usedAt
    }

    /// Whether the use of an anonymous account at this instant has to be recorded.
    package func needsExtension(at now: Instant) -> Bool {
        usedAt.map { now >= $0.adding(seconds: Store.usePrecisionSeconds) } ?? false
    }

    /// The session after the use of its account was recorded.
    package func extended(until expiresAt: Instant, at now: Instant) -> WebSession {
        var session = self
        session.expiresAt = expiresAt
        session.usedAt = now
        return session
    }
}

extension Store {
    /// Stores the session cookie of a login, by its digest.
    /// - Parameter confirmedAt: when the password was entered; nil for a login by a link.
    package func insertWebSession(
        _ tokenHash: [UInt8], of family: UUID, now: Instant, confirmedAt: Instant?
    ) async throws {
        _ = try await identity.query(
            Statements.webSessions["insert_web_session"],
            [
                "token_hash": .bytes(tokenHash), "family_id": .uuid(family), "now": .instant(now),
                "confirmed_at": .instant(confirmedAt),
            ])
    }

    /// The login of a session cookie. Nil if the login has expired or was revoked.
    package func findWebSession(_ tokenHash: [UInt8], now: Instant) async throws -> WebSession? {
        try await identity.query(
            Statements.webSessions["find_web_session"],
            ["token_hash": .bytes(tokenHash), "now": .instant(now)]
        ).oneOrNone().map { row in
            WebSession(
                tokenHash: tokenHash, account: try row.id("account_id"), family: try row.get("family_id"),
                expiresAt: try row.instant("expires_at"),
                confirmedAt: try row.instantOptional("confirmed_at"),
                seenAt: try row.instantOptional("seen_at"), kind: try row.value("kind"),
                usedAt: try row.instantOptional("used_at"))
        }
    }

    /// Records that a member of a study team uses the session.
    package func recordUse(ofSession tokenHash: [UInt8], now: Instant) async throws {
        _ = try await identity.query(
            Statements.webSessions["record_session_use"],
            ["token_hash": .bytes(tokenHash), "now": .instant(now)])
    }

    /// Records that the password was entered in the session. Invitations of the account become roles.
    package func confirm(_ session: WebSession, now: Instant) async throws {
        try await identity.writeRetrying { transaction in
            _ = try await transaction.query(
                Statements.accounts["lock_account"], ["account_id": .id(session.account)])
            _ = try await transaction.query(
                Statements.webSessions["confirm_web_session"],
                ["token_hash": .bytes(session.tokenHash), "now": .instant(now)])
            try await acceptInvitations(of: session.account, now: now, in: transaction)
        }
    }

    /// Stores a link that logs in once, by the digest of its code.
    package func insertLoginLink(
        _ codeHash: [UInt8], of account: AccountID, now: Instant, expiresAt: Instant
    ) async throws {
        _ = try await identity.query(
            Statements.webSessions["insert_login_link"],
            [
                "code_hash": .bytes(codeHash), "account_id": .id(account), "now": .instant(now),
                "expires_at": .instant(expiresAt),
            ])
    }

    /// Uses a link. Nil if it is unknown, expired or already used.
    package func useLoginLink(_ codeHash: [UInt8], now: Instant) async throws -> AccountID? {
        try await identity.query(
            Statements.webSessions["use_login_link"],
            ["code_hash": .bytes(codeHash), "now": .instant(now)]
        ).oneOrNone().map { try $0.id("account_id") }
    }
}
