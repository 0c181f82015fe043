import Foundation
import Postgres
import SaunterCore

/// The result of exchanging a refresh token.
package enum RefreshOutcome: Sendable {
    case rotated(account: AccountID, kind: AccountKind, family: UUID, familyExpiresAt: Instant)
    /// The token is unknown or expired, or its family is revoked.
    case rejected
    /// A copy of the token was used: its successor or another successor of its parent was already used, or it has too
    /// many unused successors. Its family is revoked now.
    case replayed(account: AccountID, family: UUID)
}

extension Store {
    /// The maximum number of unused successors of one token. Each lost response leaves one. If there are more, the
    /// token counts as replayed.
    private static let maximumSuccessors = 20

    /// Creates a token family with its first refresh token, given by its digest. Invitations of the account become
    /// roles.
    /// - Parameter verified: the hash against which the password was verified.
    /// - Returns: false if the account was erased, or has another hash by now. Then nothing is stored.
    package func insertFamily(
        _ family: UUID, of account: AccountID, verified: String, tokenHash: [UInt8], now: Instant,
        expiresAt: Instant
    ) async throws -> Bool {
        try await identity.writeRetrying { transaction in
            let inserted = try await transaction.query(
                Statements.tokens["insert_token_family"],
                [
                    "family_id": .uuid(family), "account_id": .id(account),
                    "password_hash": .text(verified),
                    "created_at": .instant(now), "expires_at": .instant(expiresAt),
                ])
            guard !inserted.isEmpty else { return false }
            _ = try await transaction.query(
                Statements.tokens["insert_refresh_token"],
                [
                    "token_hash": .bytes(tokenHash), "family_id": .uuid(family), "parent_hash": .bytes(nil),
                    "issued_at": .instant(now),
                ])
            try await acceptInvitations(of: account, now: now, in: transaction)
            return true
        }
    }

    /// The account with this address, if one of its logins got the refresh token. The login may be revoked. Nil after
    /// the login has expired.
    package func findKnownDevice(tokenHash: [UInt8], email: String) async throws -> AccountID? {
        try await identity.query(
            Statements.tokens["find_known_device"],
            ["token_hash": .bytes(tokenHash), "email_lookup": .bytes(secrets.lookup(email: email))]
        ).oneOrNone().map { try $0.id("account_id") }
    }

    /// Exchanges a refresh token for its successor. The old token stays valid until the new one is first used, because
    /// responses can be lost. If the old token is used later, two clients have copies, and one copy is stolen. The
    /// server cannot know which, so it revokes the family. The login of an anonymous account is extended.
    package func rotate(tokenHash: [UInt8], successorHash: [UInt8], now: Instant) async throws
        -> RefreshOutcome
    {
        try await identity.writeRetrying { transaction in
            // Two statements: only a statement that begins after the lock was granted sees the result of a concurrent
            // exchange. In a pipeline they still run one after the other.
            let found = try await transaction.pipeline([
                (Statements.tokens["lock_token_family"], ["token_hash": .bytes(tokenHash)]),
                (Statements.tokens["find_refresh_token"], ["token_hash": .bytes(tokenHash)]),
            ])
            guard let row = try found[1].oneOrNone() else { return .rejected }
            let family: UUID = try row.get("family_id")
            let account: AccountID = try row.id("account_id")
            let kind: AccountKind = try row.value("kind")
            var expiresAt = try row.instant("expires_at")
            guard try row.instantOptional("revoked_at") == nil, expiresAt > now else { return .rejected }
            let successorUsed: Bool = try row.get("successor_used")
            let siblingUsed: Bool = try row.get("sibling_used")
            let successors: Int = try row.get("successors")
            guard !successorUsed, !siblingUsed, successors < Self.maximumSuccessors else {
                _ = try await transaction.query(
                    Statements.tokens["revoke_family"],
                    ["family_id": .uuid(family), "now": .instant(now), "why": .text("replay")])
                return .replayed(account: account, family: family)
            }
            _ = try await transaction.pipeline([
                (
                    Statements.tokens["use_refresh_token"],
                    ["token_hash": .bytes(tokenHash), "now": .instant(now)]
                ),
                (
                    Statements.tokens["insert_refresh_token"],
                    [
                        "token_hash": .bytes(successorHash), "family_id": .uuid(family),
                        "parent_hash": .bytes(tokenHash), "issued_at": .instant(now),
                    ]
                ),
            ])
            if kind == .anonymous {
                expiresAt = max(expiresAt, now.adding(seconds: kind.loginSeconds))
                _ = try await transaction.pipeline(Self.useCalls(of: account, family, now: now))
            }
            return .rotated(account: account, kind: kind, family: family, familyExpiresAt: expiresAt)
        }
    }

    /// Revokes a token family.
    package func revoke(family: UUID, now: Instant, why: String) async throws {
        _ = try await identity.query(
            Statements.tokens["revoke_family"],
            ["family_id": .uuid(family), "now": .instant(now), "why": .text(why)])
    }

    /// Families whose access tokens must be rejected, including those of erased accounts.
    package func listFamilies(revokedSince since: Instant) async throws -> [UUID] {
        try await identity.query(Statements.tokens["list_families_revoked_since"], ["since": .instant(since)])
            .map { try $0.get("family_id") }
    }

    /// Revokes all families of an account, except the family in `keeping` if it is not nil.
    /// - Returns: the revoked families.
    static func revokeAll(
        of account: AccountID, why: String, keeping family: UUID? = nil, now: Instant,
        in transaction: Transaction
    ) async throws -> [UUID] {
        try await transaction.query(
            Statements.tokens["revoke_families_of_account"],
            [
                "account_id": .id(account), "now": .instant(now), "why": .text(why),
                "kept_family": .uuid(family),
            ]
        ).map { try $0.get("family_id") }
    }
}
