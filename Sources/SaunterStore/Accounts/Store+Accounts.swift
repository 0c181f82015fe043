import Postgres
import SaunterCore

/// Why an account cannot be written.
package enum AccountFault: Error {
    case emailTaken
}

extension Store {
    /// Registers a person.
    /// - Throws: `AccountFault.emailTaken`.
    package func insert(_ account: Account) async throws {
        let sealed = try seal(account)
        try await mappingEmail {
            _ = try await identity.query(
                Statements.accounts["insert_account"],
                [
                    .id(account.id), .bytes(sealed.lookup), .bytes(sealed.email), .bytes(sealed.name),
                    .text(account.passwordHash), .text(account.zone?.id), .text(account.language),
                    .instant(account.createdAt),
                ])
        }
    }

    package func findAccount(email: String) async throws -> Account? {
        let rows = try await identity.query(
            Statements.accounts["find_account_by_email"], [.bytes(secrets.lookup(email: email))])
        return try rows.oneOrNone().map(account)
    }

    package func findAccount(_ id: AccountID) async throws -> Account? {
        try await identity.query(Statements.accounts["find_account"], [.id(id)]).oneOrNone().map(account)
    }

    /// Changes name, address, zone or language of the profile as it is now, under its lock: what another device changes meanwhile stays. At another
    /// address the person may be reached.
    /// - Returns: nil when there is no such account any more.
    /// - Throws: `AccountFault.emailTaken`.
    package func updateProfile(
        of id: AccountID, change: @Sendable (inout Account) -> Void
    ) async throws -> Account? {
        let changed = try await mappingEmail {
            try await identity.writeRetrying(repeatable: true) {
                transaction -> (account: Account, isElsewhere: Bool)? in
                _ = try await transaction.query(Statements.accounts["lock_account"], [.id(id)])
                let found = try await transaction.query(Statements.accounts["find_account"], [.id(id)])
                guard var account = try found.oneOrNone().map(account) else { return nil }
                let before = account.email
                change(&account)
                let sealed = try seal(account)
                _ = try await transaction.query(
                    Statements.accounts["update_account_profile"],
                    [
                        .id(id), .bytes(sealed.lookup), .bytes(sealed.email), .bytes(sealed.name),
                        .text(account.zone?.id), .text(account.language),
                    ])
                return (account, account.email != before)
            }
        }
        if changed?.isElsewhere == true {
            try await clerk.writeRetrying(repeatable: true) { transaction in
                let (statement, parameters) = Self.forgetFailuresCall(of: id, by: .mail)
                _ = try await transaction.query(statement, parameters)
            }
        }
        return changed?.account
    }

    /// Stores the same password under newer parameters, unless another password was set meanwhile.
    package func replacePasswordHash(_ id: AccountID, _ old: String, by new: String) async throws {
        _ = try await identity.query(
            Statements.accounts["replace_password_hash"], [.id(id), .text(old), .text(new)])
    }

    package func listGrants(_ id: AccountID) async throws -> [Grant] {
        try await identity.query(Statements.accounts["list_grants"], [.id(id)]).map { row in
            Grant(
                role: try row.value("role"), study: try row.get("study"),
                fullExport: try row.get("full_export"))
        }
    }

    package func upsert(_ grant: Grant, for id: AccountID, now: Instant) async throws {
        _ = try await identity.query(
            Statements.accounts["upsert_grant"],
            [.id(id), .text(grant.role.rawValue), .text(grant.study), .bool(grant.fullExport), .instant(now)])
    }

    package func deleteGrant(_ role: Role, study: String, of id: AccountID) async throws {
        _ = try await identity.query(
            Statements.accounts["delete_grant"], [.id(id), .text(role.rawValue), .text(study)])
    }

    /// The enrolments of a person, by study.
    package func listMemberships(_ id: AccountID) async throws -> [(study: String, enrolment: EnrolmentID)] {
        try await identity.query(Statements.accounts["list_memberships"], [.id(id)]).map { row in
            (try row.get("study"), try row.id("enrolment_id"))
        }
    }

    func account(_ row: Row) throws -> Account {
        let id: AccountID = try row.id("account_id")
        let zone = try row.getOptional("time_zone", as: String.self).flatMap { Zone($0) }
        return Account(
            id: id, email: try secrets.open(row.get("email_sealed"), "email", of: id),
            name: try secrets.open(row.get("name_sealed"), "name", of: id),
            passwordHash: try row.get("password_hash"), zone: zone, language: try row.getOptional("language"),
            createdAt: try row.instant("created_at"))
    }

    private func seal(_ account: Account) throws -> (lookup: [UInt8], email: [UInt8], name: [UInt8]) {
        (
            secrets.lookup(email: account.email), try secrets.seal(account.email, "email", of: account.id),
            try secrets.seal(account.name, "name", of: account.id)
        )
    }

    private func mappingEmail<Value>(_ body: () async throws -> Value) async throws -> Value {
        do {
            return try await body()
        } catch let error as DatabaseError where error.constraint == "account_email_taken" {
            throw AccountFault.emailTaken
        }
    }
}
