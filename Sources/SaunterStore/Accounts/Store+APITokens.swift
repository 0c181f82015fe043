import Foundation
import Postgres
import SaunterCore

/// A token with this id is stored already. Its secret cannot be shown again.
package struct APITokenIDReused: Error {}

extension Store {
    /// Stores a token and writes the audit entry.
    /// - Parameter maximum: the number of valid tokens that an account may have in a study.
    /// - Returns: false if the account already has as many. Then nothing is stored.
    /// - Throws: `ConcurrentErasure`; `APITokenIDReused` if a token with this id is stored already.
    package func insert(
        _ token: APIToken, digest: [UInt8], maximum: Int, audit: AuditEntry
    ) async throws -> Bool {
        try await identity.write { transaction in
            let account = try await transaction.query(
                Statements.accounts["lock_account"], ["account_id": .id(token.account)])
            guard !account.isEmpty else { throw ConcurrentErasure() }
            let made = try await transaction.query(
                Statements.apiTokens["insert_api_token"],
                [
                    "token_id": .id(token.id), "token_hash": .bytes(digest), "account_id": .id(token.account),
                    "study": .text(token.study),
                    "label": .text(token.label), "profile": .text(token.profile.rawValue),
                    "now": .instant(token.createdAt),
                    "expires_at": .instant(token.expiresAt), "maximum": .int(maximum),
                ])
            guard !made.isEmpty else {
                let stored = try await transaction.query(
                    Statements.apiTokens["list_api_tokens_with_id"], ["token_id": .id(token.id)])
                guard stored.isEmpty else { throw APITokenIDReused() }
                return false
            }
            _ = try await transaction.pipeline([audit.call(at: token.createdAt, secrets)])
            return true
        }
    }

    /// The token with this digest, valid or not.
    package func findAPIToken(digest: [UInt8]) async throws -> APIToken? {
        try await identity.query(Statements.apiTokens["find_api_token"], ["token_hash": .bytes(digest)])
            .oneOrNone().map(Self.apiToken)
    }

    /// Records that the token was used, unless a use since `before` is recorded.
    package func recordUse(of id: APITokenID, now: Instant, before: Instant) async throws {
        _ = try await identity.query(
            Statements.apiTokens["record_api_token_use"],
            ["token_id": .id(id), "now": .instant(now), "before": .instant(before)])
    }

    /// The tokens of a study in the order of their ids, including invalid ones.
    /// - Parameter account: only tokens of this account; nil for all accounts.
    package func listAPITokens(
        of study: String, account: AccountID?, after: APITokenID?, limit: Int
    ) async throws -> [APIToken] {
        try await identity.query(
            Statements.apiTokens["list_api_tokens"],
            [
                "study": .text(study), "account_id": .id(account), "after": .uuid(after?.uuid ?? .first),
                "limit_rows": .int(limit),
            ]
        ).map(Self.apiToken)
    }

    /// Revokes a token and writes the audit entry. A revoked token stays revoked.
    /// - Parameter account: only a token of this account; nil for any account.
    /// - Returns: false if there is no such token.
    package func revokeAPIToken(
        _ id: APITokenID, study: String, account: AccountID?, audit: AuditEntry, now: Instant
    ) async throws -> Bool {
        try await identity.write { transaction in
            let found = try await transaction.query(
                Statements.apiTokens["revoke_api_token"],
                [
                    "token_id": .id(id), "study": .text(study), "account_id": .id(account),
                    "now": .instant(now),
                ])
            guard !found.isEmpty else { return false }
            _ = try await transaction.pipeline([audit.call(at: now, secrets)])
            return true
        }
    }

    private static func apiToken(_ row: Row) throws -> APIToken {
        APIToken(
            id: try row.id("token_id"), account: try row.id("account_id"), study: try row.get("study"),
            label: try row.get("label"), profile: try row.value("profile"),
            createdAt: try row.instant("created_at"), expiresAt: try row.instant("expires_at"),
            usedAt: try row.instantOptional("used_at"), revokedAt: try row.instantOptional("revoked_at"))
    }
}
