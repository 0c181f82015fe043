import Console
import Logging
import SaunterCore
import SaunterStore

/// Checks a backup: restores it into a temporary PostgreSQL cluster, compares every table and deletes the cluster.
struct BackupVerification {
    let settings: Settings
    let master: Secret<[UInt8]>
    let logger: Logger

    /// - Returns: the tables of the backup.
    /// - Throws: `BackupFault` if the file cannot be restored, or if the restored tables differ from the backup.
    @discardableResult
    func run(_ file: String) async throws -> [TableCopy] {
        try await TemporaryCluster(settings: settings, logger: logger).run { url, _ in
            let backup = Backup(of: url, master: master.revealed, logger: logger)
            let copies = try await backup.restore(
                from: file, for: .inspection, now: .current(),
                progress: { $0.show("restored for the check:") }
            ).copies
            try await backup.compare(with: copies)
            Terminal.endProgress()
            return copies
        }
    }
}
