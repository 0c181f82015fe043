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
        let scratch = try ScratchFolder()
        defer { scratch.remove() }
        let folder = scratch.url
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
