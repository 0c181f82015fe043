import Foundation
import Postgres
import SaunterCore

/// Why an account cannot be stored or changed.
package enum AccountFault: Error {
    case emailTaken
    /// The password was changed after the caller verified it.
    case passwordChanged
}

extension Store {
    /// Stores a new account.
    /// - Parameter code: is sent to the account's address, which it verifies. Nil sends no mail.
    /// - Throws: `AccountFault.emailTaken`.
    package func insert(_ account: Account, code: RandomToken? = nil) async throws {
        let sealed = try seal(account)
        let inserted: (Statement, Arguments) = (
            Statements.accounts["insert_account"],
            [
                "account_id": .id(account.id), "kind": .text(account.kind.rawValue),
                "email_lookup": .bytes(sealed.lookup), "email_sealed": .bytes(sealed.email),
                "name_sealed": .bytes(sealed.name),
                "password_hash": .text(account.kind == .anonymous ? nil : account.passwordHash),
                "time_zone": .text(account.zone?.id),
                "language": .text(account.language), "now": .instant(account.createdAt),
                "email_verified_at": .instant(account.emailVerifiedAt),
            ]
        )
        var calls = [inserted]
        if let code, let email = account.email {
            calls += try verificationCalls(code, to: email, of: account.id, now: account.createdAt)
        }
        try await mappingEmail { [calls] in
            try await identity.writeRetrying { transaction in
                _ = try await transaction.pipeline(calls)
            }
        }
    }

    /// The account with this address, or nil.
    package func findAccount(email: String) async throws -> Account? {
        let rows = try await identity.query(
            Statements.accounts["find_account_by_email"],
            ["email_lookup": .bytes(secrets.lookup(email: email))])
        return try rows.oneOrNone().map(account)
    }

    /// The account with this id, or nil.
    package func findAccount(_ id: AccountID) async throws -> Account? {
        try await identity.query(Statements.accounts["find_account"], ["account_id": .id(id)]).oneOrNone()
            .map(account)
    }

    /// Changes name, address, zone or language of the current profile under the account's lock, so that concurrent
    /// changes by another device are kept. A code is sent to a new address. A verified address stays until the code
    /// confirms the new one; an address that is not verified is replaced at once. Either writes an audit entry.
    /// - Parameters:
    ///   - verified: the hash against which the caller verified the current password; nil if the change needs no
    ///     password.
    ///   - code: the code for a new address.
    /// - Returns: the stored profile; nil if the account no longer exists.
    /// - Throws: `AccountFault`.
    package func updateProfile(
        of id: AccountID, verified: String? = nil, code: RandomToken = .make(), now: Instant,
        requestID: String? = nil, change: @Sendable (inout Account) -> Void
    ) async throws -> Account? {
        try await updateProfile(
            of: id, verified: verified, code: code, now: now, requestID: requestID, change: change,
            changePassword: nil)?.account
    }

    /// Changes the profile, and then the password in the same transaction.
    /// - Parameter changePassword: nil to keep the password. Returns the families that it revoked.
    func updateProfile(
        of id: AccountID, verified: String?, code: RandomToken, now: Instant, requestID: String?,
        change: @Sendable (inout Account) -> Void,
        changePassword: (nonisolated(nonsending) (Transaction) async throws -> [UUID])?
    ) async throws -> (account: Account, revoked: [UUID])? {
        try await mappingEmail {
            // A change of the password replaces the verified hash, so a second run would not find it.
            try await clerk.writeRetrying(idempotent: changePassword == nil) {
                transaction -> (account: Account, revoked: [UUID])? in
                guard let before = try await lockAccount(id, in: transaction) else { return nil }
                if let verified, before.passwordHash != verified { throw AccountFault.passwordChanged }
                var account = before
                change(&account)
                var calls: [(Statement, Arguments)] = []
                if let email = account.email, email != before.email {
                    try await checkIsFree(email, for: id, in: transaction)
                    calls += try verificationCalls(code, to: email, of: id, now: now)
                    if before.emailVerifiedAt == nil {
                        calls += try addressChangeCalls(from: before, now: now)
                        try await record("email_changed", id, requestID, now: now, in: transaction)
                    } else {
                        account.email = before.email
                        try await record("email_change_requested", id, requestID, now: now, in: transaction)
                    }
                }
                _ = try await transaction.pipeline([try profileCall(account)] + calls)
                return (account, try await changePassword?(transaction) ?? [])
            }
        }
    }

    /// Reads an account and locks it until the end of the transaction.
    func lockAccount(_ id: AccountID, in transaction: Transaction) async throws -> Account? {
        _ = try await transaction.query(Statements.accounts["lock_account"], ["account_id": .id(id)])
        return try await transaction.query(Statements.accounts["find_account"], ["account_id": .id(id)])
            .oneOrNone().map(account)
    }

    /// - Throws: `AccountFault.emailTaken` if another account has the address.
    func checkIsFree(_ email: String, for id: AccountID, in transaction: Transaction) async throws {
        let owner = try await transaction.query(
            Statements.accounts["find_account_by_email"],
            ["email_lookup": .bytes(secrets.lookup(email: email))]
        ).oneOrNone()
        if let owner, try owner.id("account_id", as: AccountID.self) != id { throw AccountFault.emailTaken }
    }

    /// The call that stores address, name, zone and language.
    func profileCall(_ account: Account) throws -> (Statement, Arguments) {
        let sealed = try seal(account)
        return (
            Statements.accounts["update_account_profile"],
            [
                "account_id": .id(account.id), "email_lookup": .bytes(sealed.lookup),
                "email_sealed": .bytes(sealed.email), "name_sealed": .bytes(sealed.name),
                "time_zone": .text(account.zone?.id), "language": .text(account.language),
            ]
        )
    }

    /// Checks that the password of a locked account is still the one that the caller verified.
    /// - Throws: `AccountFault.passwordChanged`.
    static func checkPasswordHash(_ verified: String?, in locked: Rows) throws {
        guard let verified, let row = locked.first else { return }
        let stored = try row.getOptional("password_hash", as: String.self) ?? PasswordHash.none.text
        guard stored == verified else {
            throw AccountFault.passwordChanged
        }
    }

    /// Replaces the hash of a password by one with newer parameters, unless the password was changed concurrently.
    package func replacePasswordHash(_ id: AccountID, _ old: String, by new: String) async throws {
        _ = try await identity.query(
            Statements.accounts["replace_password_hash"],
            ["account_id": .id(id), "old_hash": .text(old), "new_hash": .text(new)])
    }

    /// The roles of an account.
    package func listGrants(_ id: AccountID) async throws -> [Grant] {
        try await identity.query(Statements.accounts["list_grants"], ["account_id": .id(id)]).map { row in
            Grant(
                role: try row.value("role"), study: try row.get("study"),
                fullExport: try row.get("full_export"), seesArms: try row.get("sees_arms"))
        }
    }

    /// The accounts that have a role. Participants have none.
    package func listAccountsWithRoles() async throws -> [(account: Account, grants: [Grant])] {
        var accounts: [(account: Account, grants: [Grant])] = []
        for row in try await identity.query(Statements.accounts["list_accounts_with_roles"], [:]) {
            let id: AccountID = try row.id("account_id")
            guard let account = try await findAccount(id) else { continue }
            accounts.append((account, try await listGrants(id)))
        }
        return accounts.sorted { ($0.account.email ?? "") < ($1.account.email ?? "") }
    }

    /// The accounts with a role in the study, or in all studies.
    package func listStaff(of study: String) async throws -> [Account] {
        try await identity.query(Statements.accounts["list_study_staff"], ["study": .text(study)]).map(
            account)
    }

    /// The enrolments of an account, by study.
    package func listMemberships(_ id: AccountID) async throws -> [(study: String, enrolment: EnrolmentID)] {
        try await identity.query(Statements.accounts["list_memberships"], ["account_id": .id(id)]).map {
            row in
            (try row.get("study"), try row.id("enrolment_id"))
        }
    }

    func account(_ row: Row) throws -> Account {
        let id: AccountID = try row.id("account_id")
        let zone = try row.getOptional("time_zone", as: String.self).flatMap { Zone($0) }
        let email = try row.getOptional("email_sealed", as: [UInt8].self)
        return Account(
            id: id, kind: try row.value("kind"),
            email: try email.map { try secrets.open($0, "email", of: id) },
            name: try secrets.open(row.get("name_sealed"), "name", of: id),
            passwordHash: try row.getOptional("password_hash"), zone: zone,
            language: try row.getOptional("language"),
            createdAt: try row.instant("created_at"),
            emailVerifiedAt: try row.instantOptional("email_verified_at"))
    }

    func seal(_ account: Account) throws -> (lookup: [UInt8]?, email: [UInt8]?, name: [UInt8]) {
        (
            account.email.map { secrets.lookup(email: $0) },
            try account.email.map { try secrets.seal($0, "email", of: account.id) },
            try secrets.seal(account.name, "name", of: account.id)
        )
    }

    /// Runs the body. Throws `AccountFault.emailTaken` if another account has the address.
    func mappingEmail<Value>(_ body: () async throws -> Value) async throws -> Value {
        do {
            return try await body()
        } catch let error as DatabaseError where error.constraint == "account_email_taken" {
            throw AccountFault.emailTaken
        }
    }
}
