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

    /// Sets a new password with a reset code, which works once, revokes all logins, and writes the audit entry.
    /// - Returns: the revoked families; nil if the code is unknown, used or expired.
    package func resetPassword(
        codeHash: [UInt8], passwordHash: String, now: Instant, requestID: String? = nil
    ) async throws -> [UUID]? {
        try await identity.writeRetrying { transaction in
            _ = try await transaction.query(
                Statements.tokens["lock_account_of_reset"], ["code_hash": .bytes(codeHash)])
            let used = try await transaction.query(
                Statements.tokens["use_password_reset"],
                ["code_hash": .bytes(codeHash), "now": .instant(now)])
            guard let row = try used.oneOrNone() else { return nil }
            return try await updatePassword(
                of: row.id("account_id"), passwordHash: passwordHash, keeping: nil, action: "password_reset",
                requestID: requestID, now: now, in: transaction)
        }
    }

    /// Changes the password and the profile in one transaction, and revokes all logins except the current one.
    /// - Parameters:
    ///   - verified: the hash against which the current password was verified.
    ///   - family: the current login.
    /// - Returns: the changed account and the revoked families; nil if the account no longer exists.
    /// - Throws: `AccountFault`.
    package func changePassword(
        of id: AccountID, verified: String, passwordHash: String, keeping family: UUID, now: Instant,
        requestID: String? = nil, change: @Sendable (inout Account) -> Void = { _ in }
    ) async throws -> (account: Account, revoked: [UUID])? {
        try await updateProfile(of: id, verified: verified, now: now, requestID: requestID, change: change) {
            transaction in
            try await updatePassword(
                of: id, passwordHash: passwordHash, keeping: family, action: "password_changed",
                requestID: requestID, now: now, in: transaction)
        }
    }

    /// Replaces the password of an account that this transaction has locked. Deletes unused reset codes, revokes all
    /// logins but one, and writes the audit entry.
    /// - Returns: the revoked families.
    private func updatePassword(
        of account: AccountID, passwordHash: String, keeping family: UUID?, action: String,
        requestID: String?, now: Instant, in transaction: Transaction
    ) async throws -> [UUID] {
        _ = try await transaction.pipeline([
            (
                Statements.accounts["update_password_hash"],
                ["account_id": .id(account), "password_hash": .text(passwordHash)]
            ), (Statements.tokens["delete_password_resets"], ["account_id": .id(account)]),
        ])
        try await record(action, account, requestID, now: now, in: transaction)
        return try await Self.revokeAll(
            of: account, why: "password_changed", keeping: family, now: now, in: transaction)
    }
}
