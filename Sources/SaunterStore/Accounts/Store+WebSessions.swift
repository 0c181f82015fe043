import Foundation
import Postgres
import SaunterCore

/// The login to which a browser session belongs.
package struct WebSession: Sendable, Hashable {
    /// The account that logged in.
    package let account: AccountID
    /// The login. If it is revoked, the session is invalid.
    package let family: UUID
    /// From this instant on, the session is invalid.
    package let expiresAt: Instant
}

extension Store {
    /// Stores the session cookie of a login, by its digest.
    package func insertWebSession(_ tokenHash: [UInt8], of family: UUID, now: Instant) async throws {
        _ = try await identity.query(
            Statements.webSessions["insert_web_session"],
            ["token_hash": .bytes(tokenHash), "family_id": .uuid(family), "now": .instant(now)])
    }

    /// The login of a session cookie. Nil if the login has expired or was revoked.
    package func findWebSession(_ tokenHash: [UInt8], now: Instant) async throws -> WebSession? {
        try await identity.query(
            Statements.webSessions["find_web_session"],
            ["token_hash": .bytes(tokenHash), "now": .instant(now)]
        ).oneOrNone().map { row in
            WebSession(
                account: try row.id("account_id"), family: try row.get("family_id"),
                expiresAt: try row.instant("expires_at"))
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
