import Foundation
import Logging
import Postgres
import SaunterCore
import SaunterTesting
import Testing

@testable import SaunterStore

/// A migrated database for one test, with a store on it. A template is migrated once per process; every test gets a
/// copy.
struct StoreFixture {
    let store: Store
    let database: TestDatabase
    let url: ConnectionString
    /// The owner's pool, which can read and change everything.
    let owner: Pool

    static let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    static let secrets = StoreSecrets(master: Array(repeating: 7, count: 32))

    private static let template = Task {
        let template = try await TestCluster.makeTemplate()
        try await Migrations.apply(to: ConnectionString(template.connectionString), logger: logger)
        return template.name
    }

    /// - Parameter connections: size of the research pool; more than the default for tests with much concurrency.
    static func with(connections: Int = 4, _ body: (StoreFixture) async throws -> Void) async throws {
        let database = try await TestCluster.makeDatabase(template: await template.value)
        let url = try ConnectionString(database.connectionString)
        let fixture = StoreFixture(
            store: Store(url, secrets: secrets, connections: connections, logger: logger), database: database,
            url: url,
            owner: Pool(
                connectionString: url, size: 4, name: "owner", applicationName: "owner", logger: logger))
        do {
            try await body(fixture)
        } catch {
            try await fixture.tearDown()
            throw error
        }
        try await fixture.tearDown()
    }

    /// A pool of one connection that has switched to a role, like the connections of the server.
    func pool(_ role: String) -> Pool {
        Pool(connectionString: url, size: 1, role: role, name: role, logger: Self.logger)
    }

    private func tearDown() async throws {
        await store.close()
        await owner.close()
        try await database.drop()
    }
}
