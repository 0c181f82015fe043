import Foundation
import Postgres
import SaunterCore

/// Why the enrolments of an anonymous account cannot move to another account.
package enum AdoptionFault: Error, Hashable {
    /// Both accounts are enrolled in these studies, sorted by code. Nothing was changed.
    case alreadyEnrolled(studies: [String])
    /// The caller's account is registered by now.
    case alreadyRegistered
    /// The other account was erased, or its password was changed after the caller verified it.
    case passwordChanged
}

/// An anonymous account that was not used for a while.
package struct UnusedAccount: Sendable {
    /// The account.
    package var id: AccountID
    /// When it was last used, to the day.
    package var usedAt: Instant
    /// The study versions that its enrolments follow.
    package var versions: [(study: String, version: String)]
}

extension Store {
    /// The use of an anonymous account is recorded again after this many seconds.
    package static let usePrecisionSeconds = 86_400

    /// Makes a registered account of an anonymous one. Its enrolments and the caller's login stay; other logins end. A
    /// code is sent to the address. Writes the audit entry.
    /// - Parameters:
    ///   - account: the address, name and hash of the new password.
    ///   - code: the code for the address; nil sends no mail.
    ///   - family: the caller's login.
    /// - Returns: the stored account and the logins that ended; nil if the account is registered
    ///   already, or was erased.
    /// - Throws: `AccountFault.emailTaken`.
    package func register(
        anonymous account: Account, code: RandomToken?, keeping family: UUID, now: Instant,
        requestID: String? = nil
    ) async throws -> (account: Account, ended: [UUID])? {
        let id = account.id
        return try await mappingEmail {
            // A second run would find a registered account.
            try await identity.writeRetrying { transaction -> (account: Account, ended: [UUID])? in
                guard var stored = try await lockAccount(id, in: transaction), stored.kind == .anonymous,
                    let email = account.email
                else { return nil }
                try await checkIsFree(email, for: id, in: transaction)
                stored.kind = .registered
                stored.email = email
                stored.name = account.name
                stored.passwordHash = account.passwordHash
                let sealed = try seal(stored)
                var calls: [(Statement, Arguments)] = [
                    (
                        Statements.accounts["register_account"],
                        [
                            "account_id": .id(id), "email_lookup": .bytes(sealed.lookup),
                            "email_sealed": .bytes(sealed.email), "name_sealed": .bytes(sealed.name),
                            "password_hash": .text(stored.passwordHash),
                        ]
                    ),
                    (
                        Statements.tokens["shorten_family"],
                        [
                            "family_id": .uuid(family),
                            "expires_at": .instant(now.adding(seconds: AccountKind.registered.loginSeconds)),
                        ]
                    ),
                ]
                if let code { calls += try verificationCalls(code, to: email, of: id, now: now) }
                _ = try await transaction.pipeline(calls)
                try await record("account_registered", id, requestID, now: now, in: transaction)
                let ended = try await Self.revokeAll(
                    of: id, why: "replaced", keeping: family, now: now, in: transaction)
                return (stored, ended)
            }
        }
    }

    /// Moves the enrolments and the devices of an anonymous account to a registered one, and deletes the anonymous
    /// account with its logins, in one transaction. Writes the audit entry.
    /// - Parameters:
    ///   - id: the caller's anonymous account.
    ///   - target: the account that gets the enrolments, with the hash against which the caller verified the password.
    /// - Returns: the enrolments that moved, and the logins that ended; nil if the anonymous account no longer exists.
    /// - Throws: `AdoptionFault`. Then nothing is changed.
    package func adopt(
        anonymous id: AccountID, by target: Account, now: Instant, requestID: String? = nil
    ) async throws -> (moved: [EnrolmentID], ended: [UUID])? {
        try await clerk.writeRetrying { transaction -> (moved: [EnrolmentID], ended: [UUID])? in
            // In the order of the ids, so that two adoptions cannot wait for each other.
            var accounts: [AccountID: Account] = [:]
            for account in [id, target.id].sorted() {
                accounts[account] = try await lockAccount(account, in: transaction)
            }
            guard let source = accounts[id] else { return nil }
            guard source.kind == .anonymous else { throw AdoptionFault.alreadyRegistered }
            guard let owner = accounts[target.id], owner.passwordHash == target.passwordHash,
                owner.kind == .registered
            else { throw AdoptionFault.passwordChanged }
            let known = try await studies(of: owner.id, in: transaction)
            let conflicts = try await studies(of: id, in: transaction).intersection(known)
            guard conflicts.isEmpty else {
                throw AdoptionFault.alreadyEnrolled(studies: conflicts.sorted())
            }
            _ = try await transaction.query(
                Statements.entitlements["keep_enrolments_of_account"], ["account_id": .id(id)])
            try await movePushSubscriptions(from: id, to: owner.id, in: transaction)
            let moved: [EnrolmentID] = try await transaction.query(
                Statements.accounts["move_memberships"],
                ["from_account": .id(id), "to_account": .id(owner.id)]
            ).map { try $0.id("enrolment_id") }
            try await moveEntitlements(from: id, to: owner.id, now: now, in: transaction)
            let ended: [UUID] = try await transaction.query(
                Statements.tokens["end_families_of_account"], ["account_id": .id(id), "now": .instant(now)]
            ).map { try $0.get("family_id") }
            var calls: [(Statement, Arguments)] = [
                (Statements.accounts["delete_account"], ["account_id": .id(id)])
            ]
            if owner.emailVerifiedAt != nil {
                calls.append(
                    (Statements.accounts["verify_email_of_enrolments"], ["account_id": .id(owner.id)]))
            }
            calls.append(
                AuditEntry(
                    actor: .account(owner.id), action: "account_adopted", account: id, requestID: requestID,
                    detail: ["enrolments": .int(moved.count)]
                ).call(at: now, secrets))
            _ = try await transaction.pipeline(calls)
            return (moved, ended)
        }
    }

    private func studies(of account: AccountID, in transaction: Transaction) async throws -> Set<String> {
        let rows = try await transaction.query(
            Statements.accounts["list_memberships"], ["account_id": .id(account)])
        return Set(try rows.map { try $0.get("study", as: String.self) })
    }

    /// Replaces the login of a browser, so that the former value of its cookie ends.
    /// - Parameters:
    ///   - former: the login that ends.
    ///   - account: contains the hash against which the password was verified.
    ///   - tokenHash: the digest of the new session cookie.
    /// - Returns: false if the account was erased, or has another hash by now. Then nothing is changed.
    package func replaceLogin(
        _ former: UUID, of account: Account, by family: UUID, tokenHash: [UInt8], now: Instant
    ) async throws -> Bool {
        try await identity.writeRetrying { transaction in
            let inserted = try await transaction.query(
                Statements.tokens["insert_token_family"],
                [
                    "family_id": .uuid(family), "account_id": .id(account.id),
                    "password_hash": .text(account.passwordHash), "created_at": .instant(now),
                    "expires_at": .instant(now.adding(seconds: account.kind.loginSeconds)),
                ])
            guard !inserted.isEmpty else { return false }
            _ = try await transaction.pipeline([
                (
                    Statements.webSessions["insert_web_session"],
                    [
                        "token_hash": .bytes(tokenHash), "family_id": .uuid(family), "now": .instant(now),
                        "confirmed_at": .instant(now),
                    ]
                ),
                (
                    Statements.tokens["revoke_family"],
                    ["family_id": .uuid(former), "now": .instant(now), "why": .text("replaced")]
                ),
            ])
            return true
        }
    }

    /// Records that an anonymous account is used with this login, and extends the login.
    /// - Returns: when the login expires now.
    package func recordUse(of account: AccountID, _ family: UUID, now: Instant) async throws -> Instant {
        try await identity.writeRetrying(idempotent: true) { transaction in
            _ = try await transaction.pipeline(Self.useCalls(of: account, family, now: now))
        }
        return now.adding(seconds: AccountKind.anonymous.loginSeconds)
    }

    /// The calls that record the use of an anonymous account and extend its login.
    static func useCalls(of account: AccountID, _ family: UUID, now: Instant) -> [(Statement, Arguments)] {
        [
            (Statements.accounts["record_account_use"], ["account_id": .id(account), "now": .instant(now)]),
            (
                Statements.tokens["extend_family"],
                [
                    "family_id": .uuid(family),
                    "expires_at": .instant(now.adding(seconds: AccountKind.anonymous.loginSeconds)),
                ]
            ),
        ]
    }

    /// Anonymous accounts that were last used before an instant, the longest unused first.
    /// - Parameter after: the last account of the page before; nil for the first page.
    package func listUnusedAccounts(
        before: Instant, after: UnusedAccount?, limit: Int
    ) async throws -> [UnusedAccount] {
        try await clerk.query(
            Statements.accounts["list_unused_accounts"],
            [
                "before": .instant(before), "after_used": .instant(after?.usedAt ?? .minimum),
                "after_id": .uuid(after?.id.uuid ?? .first), "limit_rows": .int(limit),
            ]
        ).map { row in
            let studies = try row.get("studies", as: [String].self)
            let versions = try row.get("versions", as: [String].self)
            return UnusedAccount(
                id: try row.id("account_id"), usedAt: try row.instant("used_at"),
                versions: Array(zip(studies, versions)).map { (study: $0.0, version: $0.1) })
        }
    }
}
