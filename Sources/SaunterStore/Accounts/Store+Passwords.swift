import Foundation
import Postgres
import SaunterCore

extension Store {
    /// Stores the digest of a reset code and queues the mail that contains the code, in one transaction. The account is
    /// locked, so that the code goes to the current address. Does nothing if the account was erased concurrently.
    package func insertPasswordReset(
        codeHash: [UInt8], account: AccountID, message: JSON, now: Instant, expiresAt: Instant
    ) async throws {
        try await identity.writeRetrying { transaction in
            guard let email = try await lockAccount(account, in: transaction)?.email else { return }
            _ = try await transaction.pipeline([
                (Statements.tokens["delete_password_resets"], ["account_id": .id(account)]),
                Self.insertPasswordResetCall(codeHash, of: account, now: now, expiresAt: expiresAt),
                try mailCall(.passwordReset, to: email, of: account, message.object ?? [:], now: now),
            ])
        }
    }

    /// Sets a new password with a reset code, which works once, revokes all logins, and writes the audit entry. The
    /// code was mailed to the account's address, so it verifies this address. A change of address that waits for its
    /// confirmation is discarded.
    /// - Returns: the revoked families; nil if the code is unknown, used or expired.
    package func resetPassword(
        codeHash: [UInt8], passwordHash: String, now: Instant, requestID: String? = nil
    ) async throws -> [UUID]? {
        try await clerk.writeRetrying { transaction -> [UUID]? in
            _ = try await transaction.query(
                Statements.tokens["lock_account_of_reset"], ["code_hash": .bytes(codeHash)])
            let used = try await transaction.query(
                Statements.tokens["use_password_reset"],
                ["code_hash": .bytes(codeHash), "now": .instant(now)])
            guard let row = try used.oneOrNone() else { return nil }
            let account: AccountID = try row.id("account_id")
            _ = try await transaction.pipeline(Self.verifyEmailCalls(of: account, now: now))
            return try await updatePassword(
                of: account, passwordHash: passwordHash, keeping: nil, action: "password_reset",
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
        try await updateProfile(
            of: id, verified: verified, code: .make(), now: now, requestID: requestID, change: change
        ) { transaction in
            try await updatePassword(
                of: id, passwordHash: passwordHash, keeping: family, action: "password_changed",
                requestID: requestID, now: now, in: transaction)
        }
    }

    /// Replaces the password of an account that this transaction has locked. Deletes unused reset codes, notifies the
    /// account's address if it is verified, revokes all logins but one, and writes the audit entry.
    /// - Returns: the revoked families.
    private func updatePassword(
        of id: AccountID, passwordHash: String, keeping family: UUID?, action: String, requestID: String?,
        now: Instant, in transaction: Transaction
    ) async throws -> [UUID] {
        var calls = Self.deletePasswordResetCalls(of: id)
        calls.append(
            (
                Statements.accounts["update_password_hash"],
                ["account_id": .id(id), "password_hash": .text(passwordHash)]
            ))
        let found = try await transaction.query(Statements.accounts["find_account"], ["account_id": .id(id)])
        let account = try found.oneOrNone().map(account)
        if let account, account.emailVerifiedAt != nil, let email = account.email {
            calls.append(try mailCall(.passwordChanged, to: email, of: id, now: now))
        }
        _ = try await transaction.pipeline(calls)
        try await record(action, id, requestID, now: now, in: transaction)
        return try await Self.revokeAll(
            of: id, why: "password_changed", keeping: family, now: now, in: transaction)
    }

    /// The call that stores the digest of a code for a new password.
    static func insertPasswordResetCall(
        _ codeHash: [UInt8], of account: AccountID, now: Instant, expiresAt: Instant
    ) -> (Statement, Arguments) {
        (
            Statements.tokens["insert_password_reset"],
            [
                "code_hash": .bytes(codeHash), "account_id": .id(account), "created_at": .instant(now),
                "expires_at": .instant(expiresAt),
            ]
        )
    }

    /// The calls that make all unused codes for a new password invalid.
    static func deletePasswordResetCalls(of id: AccountID) -> [(Statement, Arguments)] {
        [
            (Statements.tokens["delete_password_resets"], ["account_id": .id(id)]),
            deleteWaitingMailsCall(.passwordReset, of: id),
            deleteWaitingMailsCall(.invitation, of: id),
        ]
    }
}
