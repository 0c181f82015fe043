import Foundation
import Logging
import Postgres
import PrivateCluster

/// How a command comes to its database: the one that the settings name, else the private one of the data
/// directory.
struct DatabaseUse {
    /// Whether the private database is run for a server, or joined for one command.
    enum Purpose {
        case server, command
    }

    let settings: Settings
    let purpose: Purpose
    let logger: Logger

    /// Runs the body with a database that takes connections, and afterwards gives it back.
    func run<Result>(_ body: (ConnectionString) async throws -> Result) async throws -> Result {
        if let url = settings.databaseURL { return try await body(url) }
        var environment = PostgresBinaries.currentEnvironment()
        if let folder = settings.postgresBin { environment[Setting.postgresBin.variable] = folder }
        let cluster = try PrivateCluster(
            directory: settings.dataDirectory, logger: logger, environment: environment)
        let text = purpose == .server ? try await cluster.start() : try await cluster.join()
        do {
            let result = try await body(ConnectionString(text))
            await cluster.stop()
            return result
        } catch {
            await cluster.stop()
            throw error
        }
    }
}
