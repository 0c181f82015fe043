import Foundation
import Logging
import Postgres
import SaunterStore

/// The store of a command: a database brought up to date, and the keys of this server.
struct StoreUse {
    let settings: Settings
    let purpose: DatabaseUse.Purpose
    let logger: Logger

    /// Runs the body with an open store, which is closed afterwards.
    func run<Result>(_ body: (Store) async throws -> Result) async throws -> Result {
        try await run { store, _, _ in try await body(store) }
    }

    /// The same, with the database's address and the master key, for what is below the store.
    func run<Result>(_ body: (Store, ConnectionString, [UInt8]) async throws -> Result) async throws -> Result
    {
        try await DatabaseUse(settings: settings, purpose: purpose, logger: logger).run { url in
            try await Migrations.apply(to: url, logger: logger)
            let isKeyed = try await Store.isKeyed(url, logger: logger)
            let master = try masterKey(mayBeMade: !isKeyed)
            let store = Store(
                url, secrets: StoreSecrets(master: master), connections: settings.databaseConnections,
                logger: logger)
            do {
                guard try await store.confirmMasterKey() else {
                    throw CommandFault(
                        "\(settings.masterKeyPath) is not the master key under which this database was filled: put the right one back"
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

    /// The key that the settings name, else the data directory's own, which is made on the first start: never for a database that was filled
    /// under another.
    private func masterKey(mayBeMade: Bool) throws -> [UInt8] {
        let path = settings.masterKeyPath
        guard settings.masterKeyFile == nil, mayBeMade else { return try MasterKey.load(from: path) }
        try FileManager.default.createDirectory(
            at: URL(filePath: path).deletingLastPathComponent(), withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        return try MasterKey.loadOrMake(at: path)
    }
}
