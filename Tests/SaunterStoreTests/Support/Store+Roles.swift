import Postgres
import SaunterCore

@testable import SaunterStore

extension Store {
    /// Stores a role as `grant` does, without an audit entry.
    func upsert(_ grant: Grant, for id: AccountID, now: Instant) async throws {
        _ = try await identity.write { try await $0.pipeline(Self.grantCalls(grant, to: id, now: now)) }
    }
}
