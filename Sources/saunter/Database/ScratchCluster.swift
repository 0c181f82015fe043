import Foundation
import Logging
import Postgres
import PrivateCluster

/// A PostgreSQL of one command's own in a temporary folder, thrown away afterwards.
struct ScratchCluster {
    let settings: Settings
    let logger: Logger

    /// Runs the body with an empty database that takes connections, and the folder, which only its owner reads.
    func run<Result>(_ body: (_ url: ConnectionString, _ folder: URL) async throws -> Result) async throws
        -> Result
    {
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
        let cluster = try PrivateCluster(
            directory: folder.path, logger: logger, environment: environment, isLasting: false)
        let url = try ConnectionString(try await cluster.start())
        do {
            let result = try await body(url, folder)
            await cluster.stop()
            return result
        } catch {
            await cluster.stop()
            throw error
        }
    }
}
