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

    /// Writes name, address, zone and language.
    /// - Throws: `AccountFault.emailTaken`.
    package func updateProfile(_ account: Account) async throws {
        let sealed = try seal(account)
        try await mappingEmail {
            _ = try await identity.query(
                Statements.accounts["update_account_profile"],
                [
                    .id(account.id), .bytes(sealed.lookup), .bytes(sealed.email), .bytes(sealed.name),
                    .text(account.zone?.id), .text(account.language),
                ])
        }
    }

    /// Stores the same password under newer parameters.
    package func updatePasswordHash(_ id: AccountID, _ hash: String) async throws {
        _ = try await identity.query(Statements.accounts["update_password_hash"], [.id(id), .text(hash)])
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

    private func mappingEmail(_ body: () async throws -> Void) async throws {
        do {
            try await body()
        } catch let error as DatabaseError where error.constraint == "account_email_taken" {
            throw AccountFault.emailTaken
        }
    }
}
