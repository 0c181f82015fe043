import Foundation
import Logging
import SaunterCore
import SaunterStore
import ServiceLifecycle
import Synchronization

/// Logins that were ended while access tokens of theirs are still within their ten minutes. Known at once on the server that ended them, within
/// seconds on the others.
actor RevocationList: Service {
    private static let restSeconds = 5

    private let store: Store
    private let now: @Sendable () -> Instant
    private let logger: Logger
    /// Asked with every request, so without waiting for whoever reads the database.
    private let families = Mutex<[UUID: Instant]>([:])

    init(store: Store, now: @escaping @Sendable () -> Instant, logger: Logger) {
        self.store = store
        self.now = now
        self.logger = logger
    }

    nonisolated func contains(_ family: UUID) -> Bool { families.withLock { $0[family] != nil } }

    nonisolated func add(_ revoked: [UUID], at now: Instant) {
        families.withLock { families in
            for family in revoked { families[family] = now }
        }
    }

    func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                await self.refresh()
                do {
                    try await Task.sleep(for: .seconds(Self.restSeconds))
                } catch {
                    return
                }
            }
        }
    }

    func refresh() async {
        let since = now().adding(seconds: -2 * AccessTokens.lifetimeSeconds)
        families.withLock { families in families = families.filter { $0.value > since } }
        do {
            add(try await store.listFamilies(revokedSince: since), at: now())
        } catch {
            logger.warning("ended logins could not be read", metadata: ["error": "\(error)"])
        }
    }
}
