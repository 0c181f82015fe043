import Foundation
import Postgres
import SaunterCore

/// What became of a refresh token that somebody presented.
package enum RefreshOutcome: Sendable {
    case rotated(account: AccountID, family: UUID, familyExpiresAt: Instant)
    /// Unknown, expired, or of a family that was revoked before.
    case refused
    /// Used after its successor was: the family is revoked now.
    case replayed(account: AccountID, family: UUID)
}

extension Store {
    /// More unused successors of one token than this is not a lost reply any more.
    private static let maximumSuccessors = 20

    /// Begins a family with its first refresh token, given by its digest.
    package func insertFamily(
        _ family: UUID, of account: AccountID, tokenHash: [UInt8], now: Instant, expiresAt: Instant
    ) async throws {
        _ = try await identity.writeRetrying { transaction in
            try await transaction.pipeline([
                (
                    Statements.tokens["insert_token_family"],
                    [.uuid(family), .id(account), .instant(now), .instant(expiresAt)]
                ),
                (
                    Statements.tokens["insert_refresh_token"],
                    [.bytes(tokenHash), .uuid(family), .bytes(nil), .instant(now)]
                ),
            ])
        }
    }

    /// Exchanges a refresh token for its successor. The old one stays valid until the new one is first used, because replies get lost;
    /// whoever uses it later holds a stolen copy, and the whole family ends.
    package func rotate(tokenHash: [UInt8], successorHash: [UInt8], now: Instant) async throws
        -> RefreshOutcome
    {
        try await identity.writeRetrying { transaction in
            // Two statements: only one that begins after the lock was granted sees what the exchange before it did. Sent together, they begin one
            // after the other all the same.
            let found = try await transaction.pipeline([
                (Statements.tokens["lock_token_family"], [.bytes(tokenHash)]),
                (Statements.tokens["find_refresh_token"], [.bytes(tokenHash)]),
            ])
            guard let row = try found[1].oneOrNone() else { return .refused }
            let family: UUID = try row.get("family_id")
            let account: AccountID = try row.id("account_id")
            let expiresAt = try row.instant("expires_at")
            guard try row.instantOptional("revoked_at") == nil, expiresAt > now else { return .refused }
            let successorUsed: Bool = try row.get("successor_used")
            let siblingUsed: Bool = try row.get("sibling_used")
            let successors: Int = try row.get("successors")
            guard !successorUsed, !siblingUsed, successors < Self.maximumSuccessors else {
                _ = try await transaction.query(
                    Statements.tokens["revoke_family"], [.uuid(family), .instant(now), .text("replay")])
                return .replayed(account: account, family: family)
            }
            _ = try await transaction.pipeline([
                (Statements.tokens["use_refresh_token"], [.bytes(tokenHash), .instant(now)]),
                (
                    Statements.tokens["insert_refresh_token"],
                    [.bytes(successorHash), .uuid(family), .bytes(tokenHash), .instant(now)]
                ),
            ])
            return .rotated(account: account, family: family, familyExpiresAt: expiresAt)
        }
    }

    package func revoke(family: UUID, now: Instant, why: String) async throws {
        _ = try await identity.query(
            Statements.tokens["revoke_family"], [.uuid(family), .instant(now), .text(why)])
    }

    /// The families whose access tokens must not be taken any more.
    package func listFamilies(revokedSince since: Instant) async throws -> [UUID] {
        try await identity.query(Statements.tokens["list_families_revoked_since"], [.instant(since)])
            .map { try $0.get("family_id") }
    }

    private static let keptSeconds = 7 * 86_400
    private static let apiTokenKeptSeconds = 365 * 86_400

    /// Deletes what has had its day: logins and codes that have expired, and, after a week, refresh tokens that were exchanged and mails that
    /// went out.
    package func tidyIdentity(now: Instant) async throws {
        let weekAgo = now.adding(seconds: -Self.keptSeconds)
        for (name, before) in [
            ("delete_expired_families", now), ("delete_old_password_resets", now),
            ("delete_spent_refresh_tokens", weekAgo), ("delete_finished_mails", weekAgo),
        ] {
            _ = try await identity.query(Statements.tokens[name], [.instant(before)])
        }
        // Until then its owner can look up when it was used last.
        _ = try await identity.query(
            Statements.apiTokens["delete_old_api_tokens"],
            [.instant(now.adding(seconds: -Self.apiTokenKeptSeconds))])
    }

    /// Stores the digest of a reset code and queues the mail that carries it, or neither.
    package func insertPasswordReset(
        codeHash: [UInt8], account: AccountID, message: JSON, now: Instant, expiresAt: Instant
    ) async throws {
        let mail = UUID()
        let sealed = try secrets.seal(message.text, "mail", of: account)
        _ = try await identity.writeRetrying { transaction in
            try await transaction.pipeline([
                (Statements.tokens["delete_password_resets"], [.id(account)]),
                (
                    Statements.tokens["insert_password_reset"],
                    [.bytes(codeHash), .id(account), .instant(now), .instant(expiresAt)]
                ),
                (
                    Statements.tokens["insert_outgoing_mail"],
                    [.uuid(mail), .id(account), .text("password_reset"), .bytes(sealed), .instant(now)]
                ),
            ])
        }
    }

    /// Sets a new password by a code that works once, and ends every login.
    /// - Returns: the families that ended; nil when the code is unknown, used or expired.
    package func resetPassword(codeHash: [UInt8], passwordHash: String, now: Instant) async throws -> [UUID]?
    {
        try await identity.writeRetrying { transaction in
            let used = try await transaction.query(
                Statements.tokens["use_password_reset"], [.bytes(codeHash), .instant(now)])
            guard let row = try used.oneOrNone() else { return nil }
            let account: AccountID = try row.id("account_id")
            _ = try await transaction.query(
                Statements.accounts["update_password_hash"], [.id(account), .text(passwordHash)])
            return try await Self.revokeAll(of: account, why: "password_changed", now: now, in: transaction)
        }
    }

    /// Changes a password and ends every login but the one it was changed in; a reset code that is still under way dies with them.
    package func changePassword(
        _ account: AccountID, passwordHash: String, keeping family: UUID, now: Instant
    ) async throws -> [UUID] {
        try await identity.writeRetrying { transaction in
            _ = try await transaction.query(
                Statements.accounts["update_password_hash"], [.id(account), .text(passwordHash)])
            _ = try await transaction.query(Statements.tokens["delete_password_resets"], [.id(account)])
            return try await Self.revokeAll(
                of: account, why: "password_changed", keeping: family, now: now, in: transaction)
        }
    }

    static func revokeAll(
        of account: AccountID, why: String, keeping family: UUID? = nil, now: Instant,
        in transaction: Transaction
    ) async throws -> [UUID] {
        try await transaction.query(
            Statements.tokens["revoke_families_of_account"],
            [.id(account), .instant(now), .text(why), .uuid(family)]
        ).map { try $0.get("family_id") }
    }
}
