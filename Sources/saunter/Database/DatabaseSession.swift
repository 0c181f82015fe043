import Foundation
import Logging
import Postgres
import PrivateCluster

/// Opens the database of a command: the one in the settings, otherwise the private cluster of the data directory.
struct DatabaseSession {
    let settings: Settings
    let user: PrivateCluster.User
    let logger: Logger

    /// Runs the body with a database that accepts connections. Afterwards stops using the private cluster.
    func run<Result>(_ body: (ConnectionString) async throws -> Result) async throws -> Result {
        if let url = settings.databaseURL { return try await body(url) }
        let cluster = try PrivateCluster(
            directory: settings.dataDirectory, logger: logger, environment: settings.postgresEnvironment)
        return try await cluster.run(as: user) { try await body(ConnectionString($0)) }
    }
}
