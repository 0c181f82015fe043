import Foundation
import Postgres
import SaunterCore

extension Store {
    /// Stores the digest of a reset code and queues the mail that contains the code, in one transaction.
    package func insertPasswordReset(
        codeHash: [UInt8], account: AccountID, message: JSON, now: Instant, expiresAt: Instant
    ) async throws {
        let mail = UUID()
        let sealed = try secrets.seal(message.text, "mail", of: account)
        _ = try await identity.writeRetrying { transaction in
            try await transaction.pipeline([
                (Statements.tokens["delete_password_resets"], ["account_id": .id(account)]),
                (
                    Statements.tokens["insert_password_reset"],
                    [
                        "code_hash": .bytes(codeHash), "account_id": .id(account),
                        "created_at": .instant(now), "expires_at": .instant(expiresAt),
                    ]
                ),
                (
                    Statements.tokens["insert_outgoing_mail"],
                    [
                        "mail_id": .uuid(mail), "account_id": .id(account), "kind": .text("password_reset"),
                        "message_sealed": .bytes(sealed), "now": .instant(now),
                    ]
                ),
            ])
        }
    }

    /// Sets a new password with a reset code, which works once, and revokes all logins.
    /// - Returns: the revoked families; nil if the code is unknown, used or expired.
    package func resetPassword(codeHash: [UInt8], passwordHash: String, now: Instant) async throws -> [UUID]?
    {
        try await identity.writeRetrying { transaction in
            let used = try await transaction.query(
                Statements.tokens["use_password_reset"],
                ["code_hash": .bytes(codeHash), "now": .instant(now)])
            guard let row = try used.oneOrNone() else { return nil }
            let account: AccountID = try row.id("account_id")
            _ = try await transaction.query(
                Statements.accounts["update_password_hash"],
                ["account_id": .id(account), "password_hash": .text(passwordHash)])
            return try await Self.revokeAll(of: account, why: "password_changed", now: now, in: transaction)
        }
    }

    /// Changes a password and revokes all logins except the current one. Unused reset codes are deleted.
    /// - Returns: the revoked families.
    package func changePassword(
        _ account: AccountID, passwordHash: String, keeping family: UUID, now: Instant
    ) async throws -> [UUID] {
        try await identity.writeRetrying { transaction in
            _ = try await transaction.query(
                Statements.accounts["update_password_hash"],
                ["account_id": .id(account), "password_hash": .text(passwordHash)])
            _ = try await transaction.query(
                Statements.tokens["delete_password_resets"], ["account_id": .id(account)])
            return try await Self.revokeAll(
                of: account, why: "password_changed", keeping: family, now: now, in: transaction)
        }
    }
}
