import Logging
import SaunterCore
import SaunterStore

/// Restores a backup into a PostgreSQL of its own, compares every table, and throws it away.
struct Rehearsal {
    let settings: Settings
    let master: [UInt8]
    let logger: Logger

    /// - Returns: the tables of the backup.
    /// - Throws: `BackupFault` when the file cannot be restored, or when what is there then is something else.
    @discardableResult
    func run(_ file: String) async throws -> [TableCopy] {
        try await ScratchCluster(settings: settings, logger: logger).run { url, _ in
            let backup = Backup(of: url, master: master, logger: logger)
            let copies = try await backup.restore(
                from: file, for: .rehearsal, now: .current(), progress: { $0.show("tried out") }
            ).copies
            try await backup.compare(with: copies)
            Terminal.endProgress()
            return copies
        }
    }
}
