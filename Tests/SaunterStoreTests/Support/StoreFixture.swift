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
    let url: ConnectionString
    /// May do everything: for looking and for damage.
    let owner: Pool

    static let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    static let secrets = StoreSecrets(master: Array(repeating: 7, count: 32))

    private static let template = Task {
        let template = try await TestCluster.makeTemplate()
        try await Migrations.apply(to: ConnectionString(template.connectionString), logger: logger)
        return template.name
    }

    /// - Parameter connections: of the research pool; more than the default when many things shall happen at once.
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

    /// One connection that has stepped down to a role, as the server's do.
    func pool(_ role: String) -> Pool {
        Pool(connectionString: url, size: 1, role: role, name: role, logger: Self.logger)
    }

    private func tearDown() async throws {
        await store.close()
        await owner.close()
        try await database.drop()
    }
}
