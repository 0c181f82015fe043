import Console
import Foundation
import Logging
import Postgres
import PrivateCluster
import SaunterStore

/// Opens the store of a command: applies migrations and loads or creates the master key.
struct StoreSession {
    let settings: Settings
    let user: PrivateCluster.User
    let logger: Logger

    /// Runs the body with an open store and closes it afterwards.
    func run<Result>(_ body: (Store) async throws -> Result) async throws -> Result {
        try await run { store, _, _ in try await body(store) }
    }

    /// The same, with the connection string and the master key, for commands that also open their own connections.
    func run<Result>(_ body: (Store, ConnectionString, [UInt8]) async throws -> Result) async throws -> Result
    {
        try await DatabaseSession(settings: settings, user: user, logger: logger).run { url in
            try await Migrations.apply(to: url, logger: logger)
            let isKeyed = try await Store.isKeyed(url, logger: logger)
            let master = try masterKey(mayCreate: !isKeyed)
            let store = Store(
                url, secrets: StoreSecrets(master: master), connections: settings.databaseConnections,
                logger: logger)
            do {
                guard try await store.confirmMasterKey() else {
                    throw CommandFault(
                        "\(settings.masterKeyPath) is not the master key with which this database was filled: use the original key"
                    )
                }
                let result = try await body(store, url, master)
                await store.close()
                return result
            } catch {
                await store.close()
                throw error
            }
        }
    }

    /// Loads the key file in the settings, otherwise the key file of the data directory, which the first start
    /// creates. A new key is never created for a database that was filled with another key.
    private func masterKey(mayCreate: Bool) throws -> [UInt8] {
        let path = settings.masterKeyPath
        guard settings.masterKeyFile == nil, mayCreate else { return try MasterKey.load(from: path) }
        try FileManager.default.createDirectory(
            at: URL(filePath: path).deletingLastPathComponent(), withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        return try MasterKey.loadOrMake(at: path)
    }
}
