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
        try await DatabaseUse(settings: settings, purpose: purpose, logger: logger).run { url in
            try await Migrations.apply(to: url, logger: logger)
            let store = Store(
                url, secrets: StoreSecrets(master: try masterKey()),
                connections: settings.databaseConnections,
                logger: logger)
            do {
                let result = try await body(store)
                await store.close()
                return result
            } catch {
                await store.close()
                throw error
            }
        }
    }

    /// The key that the settings name, else the data directory's own, which is made on the first start.
    private func masterKey() throws -> [UInt8] {
        if let file = settings.masterKeyFile { return try MasterKey.load(from: file) }
        let path = settings.ownMasterKey
        try FileManager.default.createDirectory(
            at: URL(filePath: path).deletingLastPathComponent(), withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        return try MasterKey.loadOrMake(at: path)
    }
}
