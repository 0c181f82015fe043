import Postgres
import SaunterCore

extension Store {
    // How long used refresh tokens and mails are kept, in seconds.
    private static let keptSeconds = 7 * 86_400
    // How long expired API tokens are kept, in seconds.
    private static let apiTokenKeptSeconds = 365 * 86_400
    // How long purchases that no account claimed are kept, in seconds: as long as the login of an anonymous account.
    private static let unclaimedPurchaseKeptSeconds = 400 * 86_400

    /// Deletes expired logins and codes, mails that were queued more than a week ago, and API tokens that expired more
    /// than a year ago. Deletes links to log in that expired more than a week ago, and the ids of logins that ended
    /// with their account more than a week ago. Deletes a refresh token if it and a successor were used more than a
    /// week ago, except the first token of a family. Deletes purchases that no account has claimed and that ended more
    /// than 400 days ago.
    package func deleteExpiredIdentityRows(now: Instant) async throws {
        let weekAgo = now.adding(seconds: -Self.keptSeconds)
        for (name, before) in [
            ("delete_expired_families", now), ("delete_old_password_resets", now),
            ("delete_old_email_verifications", now), ("delete_spent_refresh_tokens", weekAgo),
            ("delete_old_mails", weekAgo), ("delete_ended_families", weekAgo),
        ] {
            _ = try await identity.query(Statements.tokens[name], ["before": .instant(before)])
        }
        _ = try await identity.query(
            Statements.webSessions["delete_old_login_links"], ["before": .instant(weekAgo)])
        // The owner can look up the last use of a token until then.
        _ = try await identity.query(
            Statements.apiTokens["delete_old_api_tokens"],
            ["before": .instant(now.adding(seconds: -Self.apiTokenKeptSeconds))])
        _ = try await identity.query(
            Statements.entitlements["delete_unclaimed_purchases"],
            ["before": .instant(now.adding(seconds: -Self.unclaimedPurchaseKeptSeconds))])
    }
}
