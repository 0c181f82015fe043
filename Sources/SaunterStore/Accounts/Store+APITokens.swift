import Foundation
import Postgres
import SaunterCore

extension Store {
    /// Stores a token, with its audit line.
    /// - Parameter most: how many that are valid an account may have in a study.
    /// - Returns: false when there are as many already; then nothing is stored.
    package func insert(
        _ token: APIToken, digest: [UInt8], most: Int, audit: AuditEntry
    ) async throws -> Bool {
        try await identity.write { transaction in
            _ = try await transaction.query(Statements.accounts["lock_account"], [.id(token.account)])
            let made = try await transaction.query(
                Statements.apiTokens["insert_api_token"],
                [
                    .id(token.id), .bytes(digest), .id(token.account), .text(token.study),
                    .text(token.label), .text(token.profile.rawValue), .instant(token.createdAt),
                    .instant(token.expiresAt), .int(most),
                ])
            guard !made.isEmpty else { return false }
            _ = try await transaction.pipeline([audit.call(at: token.createdAt)])
            return true
        }
    }

    /// The token of this digest, whether it is valid or not.
    package func findAPIToken(digest: [UInt8]) async throws -> APIToken? {
        try await identity.query(Statements.apiTokens["find_api_token"], [.bytes(digest)])
            .oneOrNone().map(Self.apiToken)
    }

    /// Notes that it was used, unless that was noted since the given moment.
    package func touch(_ id: APITokenID, now: Instant, before: Instant) async throws {
        _ = try await identity.query(
            Statements.apiTokens["touch_api_token"], [.id(id), .instant(now), .instant(before)])
    }

    /// The tokens of a study in the order of their ids, also those that are no longer valid.
    /// - Parameter account: whose; nil is everybody's.
    package func listAPITokens(
        of study: String, account: AccountID?, after: APITokenID?, limit: Int
    ) async throws -> [APIToken] {
        try await identity.query(
            Statements.apiTokens["list_api_tokens"],
            [.text(study), .id(account), .uuid(after?.uuid ?? .first), .int(limit)]
        ).map(Self.apiToken)
    }

    /// Ends a token, with its audit line; one that was ended stays so.
    /// - Parameter account: whose it must be; nil is anybody's.
    /// - Returns: false when there is no such token.
    package func revokeAPIToken(
        _ id: APITokenID, study: String, account: AccountID?, audit: AuditEntry, now: Instant
    ) async throws -> Bool {
        try await identity.write { transaction in
            let found = try await transaction.query(
                Statements.apiTokens["revoke_api_token"],
                [.id(id), .text(study), .id(account), .instant(now)])
            guard !found.isEmpty else { return false }
            _ = try await transaction.pipeline([audit.call(at: now)])
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
