import SaunterCore
import SaunterStore

extension ServerContext {
    /// Logs in with a link that works once.
    /// - Returns: the value of the session cookie.
    /// - Throws: `not-found` if the link is unknown, expired or already used; `too-many-requests`.
    package func logIn(
        withLink code: String, now: Instant, from address: IPAddress?, requestID: String
    ) async throws -> String {
        try await accounts.addressThrottle.admit(.address(address), now: now)
        guard let id = try await store.useLoginLink(RandomToken.digest(of: code), now: now),
            let account = try await store.findAccount(id),
            let tokens = try await accounts.insertLogin(of: account, now: now)
        else { throw Problem(.notFound, "This link is unknown, was already used, or has expired.") }
        try await store.record(
            AuditEntry(actor: .account(account.id), action: "logged_in", requestID: requestID), at: now)
        return try await sessions.start(with: tokens.accessToken, isPasswordEntered: false, now: now)
    }
}
