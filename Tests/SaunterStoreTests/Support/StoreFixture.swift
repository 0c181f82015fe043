import Foundation
import Logging
import Postgres
import SaunterCore
import SaunterTesting
import Testing

@testable import SaunterStore

/// A migrated database of one test, with a store on it. A template is migrated once for the process; every test gets a copy.
struct StoreFixture {
    let store: Store
    let database: TestDatabase

    static let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    private static let template = Task {
        let template = try await TestCluster.makeDatabase()
        try await Migrations.apply(to: ConnectionString(template.connectionString), logger: logger)
        return template.name
    }

    static func with(_ body: (StoreFixture) async throws -> Void) async throws {
        let database = try await TestCluster.makeDatabase(template: await template.value)
        let store = Store(
            try ConnectionString(database.connectionString), secrets: StoreSecrets(master: Array(repeating: 7, count: 32)),
            connections: 4, logger: logger)
        do {
            try await body(StoreFixture(store: store, database: database))
        } catch {
            await store.close()
            try await database.drop()
            throw error
        }
        await store.close()
        try await database.drop()
    }

    /// A pool that may do everything, for looking and for damage.
    func withSuperuser<Value>(_ body: (Pool) async throws -> Value) async throws -> Value {
        let pool = Pool(
            connectionString: try ConnectionString(database.connectionString), size: 1, logger: Self.logger)
        do {
            let value = try await body(pool)
            await pool.close()
            return value
        } catch {
            await pool.close()
            throw error
        }
    }
}
