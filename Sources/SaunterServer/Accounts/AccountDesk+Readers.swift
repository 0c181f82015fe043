import Foundation
import SaunterCore
import SaunterStore

extension AccountDesk {
    /// Seconds within which a token's use is noted once.
    private static let touchSeconds = 3600

    /// Whoever reads a study: by an access token, or by an API token, which allows what both it and its account are allowed, in its study alone.
    func reader(_ token: String, now: Instant) async throws -> Identity {
        guard let secret = APITokenSecret(presented: token) else {
            return try await person(token, for: .reader, now: now)
        }
        guard let known = try await store.findAPIToken(digest: secret.digest), known.isValid(at: now) else {
            throw Problem(.tokenInvalid, "The API token is not valid.")
        }
        let stale = now.adding(seconds: -Self.touchSeconds)
        if known.usedAt.map({ $0 < stale }) ?? true {
            try await store.touch(known.id, now: now, before: stale)
        }
        let grants = try await store.listGrants(known.account)
            .filter { $0.study == known.study && $0.role != .admin }
        let isFull = known.profile == .full && grants.contains(where: \.fullExport)
        return Identity(
            account: known.account, family: known.id.uuid,
            grants: grants.isEmpty
                ? [] : [Grant(role: .researcher, study: known.study, fullExport: isFull)],
            apiToken: known.id)
    }
}
