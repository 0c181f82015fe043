import Foundation
import Logging
import Postgres
import PrivateCluster
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
        // Short: the path of a socket has at most 107 bytes.
        let folder = FileManager.default.temporaryDirectory.appending(
            path: "saunter-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        defer {
            do {
                try FileManager.default.removeItem(at: folder)
            } catch {
                Terminal.note("saunter: \(folder.path) could not be removed: \(error.localizedDescription)")
            }
        }
        var environment = PostgresBinaries.currentEnvironment()
        if let programs = settings.postgresBin { environment[Setting.postgresBin.variable] = programs }
        let cluster = try PrivateCluster(directory: folder.path, logger: logger, environment: environment)
        let url = try ConnectionString(try await cluster.start())
        do {
            let backup = Backup(of: url, master: master, logger: logger)
            let copies = try await backup.restore(
                from: file, for: .rehearsal, now: .current(), progress: { $0.show("tried out") }
            ).copies
            try await backup.compare(with: copies)
            Terminal.endProgress()
            await cluster.stop()
            return copies
        } catch {
            await cluster.stop()
            throw error
        }
    }
}
