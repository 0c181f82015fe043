import Logging
import SaunterCore
import SaunterStore

/// Writes audit entries of actions that repeat often, such as reading a list page by page. An entry is written once per
/// hour (UTC) and server, however often its action happens, so that neither a program that polls nor an attacker fills
/// the audit.
package actor HourlyAudit {
    /// The maximum number of entries that are remembered. Above it, equal entries may be written again within the hour.
    private static let maximumEntries = 100_000

    private let store: Store
    private let logger: Logger
    private var hour: Int64 = 0
    /// The entries of the hour, without the ids of their requests.
    private var written: Set<AuditEntry> = []

    /// Creates an audit that has written nothing in this hour.
    package init(store: Store, logger: Logger) {
        self.store = store
        self.logger = logger
    }

    /// Writes the entry, unless an equal one was written in the same hour.
    package func record(_ entry: AuditEntry, at now: Instant) async throws {
        var content = entry
        content.requestID = nil
        let current = now.milliseconds / 3_600_000
        if current != hour || written.count >= Self.maximumEntries {
            hour = current
            written = []
        }
        guard written.insert(content).inserted else { return }
        do {
            try await store.record(entry, at: now)
        } catch {
            written.remove(content)
            throw error
        }
    }

    /// Does the same in the background, if the time of the response must not depend on the entry.
    nonisolated func recordLater(_ entry: AuditEntry, at now: Instant) {
        Task {
            do {
                try await record(entry, at: now)
            } catch {
                logger.error(
                    "an audit entry could not be written: \(error)", metadata: ["action": "\(entry.action)"])
            }
        }
    }
}
