import Foundation
import Logging
import SaunterCore
import SaunterStore
import ServiceLifecycle
import Synchronization

/// Logins that were revoked recently. Their access tokens would otherwise be valid for up to ten minutes. The server
/// that revokes a login knows it at once, the other servers within five seconds.
actor RevocationList: Service, CustomStringConvertible {
    /// The name in logs.
    nonisolated var description: String { "RevocationList" }

    private static let refreshSeconds = 5

    private let store: Store
    private let now: @Sendable () -> Instant
    private let logger: Logger
    /// Read with every request, so it is outside of the actor: a request must not wait for a database query.
    private let families = Mutex<[UUID: Instant]>([:])

    init(store: Store, now: @escaping @Sendable () -> Instant, logger: Logger) {
        self.store = store
        self.now = now
        self.logger = logger
    }

    /// Whether the login was revoked.
    nonisolated func contains(_ family: UUID) -> Bool { families.withLock { $0[family] != nil } }

    /// Adds revoked logins.
    nonisolated func add(_ revoked: [UUID], at now: Instant) {
        families.withLock { families in
            for family in revoked { families[family] = now }
        }
    }

    /// Refreshes the list every five seconds until the shutdown.
    func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                await self.refresh()
                do {
                    try await Task.sleep(for: .seconds(Self.refreshSeconds))
                } catch {
                    return
                }
            }
        }
    }

    /// Adds the logins that other servers have revoked, and removes those whose access tokens have expired.
    func refresh() async {
        let since = now().adding(seconds: -2 * AccessTokens.lifetimeSeconds)
        families.withLock { families in families = families.filter { $0.value > since } }
        do {
            add(try await store.listFamilies(revokedSince: since), at: now())
        } catch {
            logger.warning("revoked logins could not be read", metadata: ["error": "\(error)"])
        }
    }
}
