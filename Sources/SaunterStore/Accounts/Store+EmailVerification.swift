import Postgres
import SaunterCore

/// An address is verified when its account sends back a code that was mailed to the address. An account has at most one
/// code, for its first address or for a new one; a later code replaces it.
extension Store {
    /// Sends another code to the address that is not verified yet: a new address, otherwise the account's address. Does
    /// nothing if the account has no such address.
    package func resendEmailVerification(_ code: RandomToken, of id: AccountID, now: Instant) async throws {
        try await identity.writeRetrying { transaction in
            guard let account = try await lockAccount(id, in: transaction) else { return }
            let pending = try await transaction.query(
                Statements.tokens["find_email_verification"],
                ["account_id": .id(id), "now": .instant(now)]
            ).oneOrNone().map { try secrets.open($0.get("email_sealed"), "email", of: id) }
            guard let email = pending ?? (account.emailVerifiedAt == nil ? account.email : nil) else {
                return
            }
            _ = try await transaction.pipeline(try verificationCalls(code, to: email, of: id, now: now))
        }
    }

    /// Verifies the address that received this code. If it is a new address, it replaces the account's address: then
    /// codes for a new password become invalid, and the former address is notified. Writes the audit entry.
    /// - Returns: false if the code is unknown, used or expired, or belongs to another account.
    /// - Throws: `AccountFault.emailTaken` if another account got the address in the meantime.
    package func verifyEmail(
        codeHash: [UInt8], of id: AccountID, now: Instant, requestID: String? = nil
    ) async throws -> Bool {
        try await mappingEmail {
            try await clerk.writeRetrying { transaction in
                guard let before = try await lockAccount(id, in: transaction) else { return false }
                let used = try await transaction.query(
                    Statements.tokens["use_email_verification"],
                    ["code_hash": .bytes(codeHash), "account_id": .id(id), "now": .instant(now)])
                guard let row = try used.oneOrNone() else { return false }
                var account = before
                account.email = try secrets.open(row.get("email_sealed"), "email", of: id)
                var calls = Self.verifyEmailCalls(of: id, now: now)
                if account.email != before.email {
                    calls += [try profileCall(account)] + (try addressChangeCalls(from: before, now: now))
                }
                _ = try await transaction.pipeline(calls)
                let action = account.email == before.email ? "email_verified" : "email_changed"
                try await record(action, id, requestID, now: now, in: transaction)
                return true
            }
        }
    }

    /// The address that waits for its confirmation; nil if there is none or its code has expired.
    package func findUnverifiedEmail(of id: AccountID, now: Instant) async throws -> String? {
        try await identity.query(
            Statements.tokens["find_email_verification"], ["account_id": .id(id), "now": .instant(now)]
        ).oneOrNone().map { try secrets.open($0.get("email_sealed"), "email", of: id) }
    }

    /// The calls that store a code and queue its mail. They replace an earlier code.
    func verificationCalls(
        _ code: RandomToken, to email: String, of id: AccountID, now: Instant
    ) throws -> [(Statement, Arguments)] {
        let kind = OutgoingMail.Kind.emailVerification
        return [
            (
                Statements.tokens["insert_email_verification"],
                [
                    "code_hash": .bytes(code.digest), "account_id": .id(id),
                    "email_sealed": .bytes(try secrets.seal(email, "email", of: id)),
                    "created_at": .instant(now),
                    "expires_at": .instant(now.adding(seconds: kind.lifetimeSeconds)),
                ]
            ),
            Self.deleteWaitingMailsCall(kind, of: id),
            try mailCall(kind, to: email, of: id, ["code": .string(code.text)], now: now),
        ]
    }

    /// The calls that mark the account's address as verified and delete its code. Reminders by mail begin.
    static func verifyEmailCalls(of id: AccountID, now: Instant) -> [(Statement, Arguments)] {
        [
            (Statements.accounts["verify_email"], ["account_id": .id(id), "now": .instant(now)]),
            (Statements.accounts["verify_email_of_enrolments"], ["account_id": .id(id)]),
            (Statements.tokens["delete_email_verification"], ["account_id": .id(id)]),
            deleteWaitingMailsCall(.emailVerification, of: id),
        ]
    }

    /// The calls that belong to a replaced address: codes that were mailed to it become invalid, a verified address is
    /// notified, and failures of the mail channel are reset.
    func addressChangeCalls(from before: Account, now: Instant) throws -> [(Statement, Arguments)] {
        var calls =
            Self.deletePasswordResetCalls(of: before.id) + [Self.resetFailuresCall(of: before.id, on: .mail)]
        if before.emailVerifiedAt != nil, let email = before.email {
            calls.append(try mailCall(.emailChanged, to: email, of: before.id, now: now))
        }
        return calls
    }
}
