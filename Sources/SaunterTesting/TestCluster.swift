import Glibc
import PrivateCluster

/// The throw-away PostgreSQL of one test process.
///
/// It is made on first use in a temporary directory, listens on a Unix socket only, and saves time where a
/// test loses nothing: no fsync. A watchdog of its own takes it away when this process ends, however it
/// ends. `SAUNTER_TEST_DATABASE_URL` names another server to use instead; it must let tests create
/// databases.
package enum TestCluster {
    /// A superuser's connection string for the database `postgres`, in libpq's key=value form (or as given by
    /// `SAUNTER_TEST_DATABASE_URL`). The server takes 400 connections.
    package static func connectionString() async throws -> String {
        try await started.value
    }

    /// A new database with a name of its own, copied from `template` when one is named.
    ///
    /// Nobody may be connected to the template while it is copied. Waits while sixteen others are in use: the
    /// test gives its turn to the next by dropping its database.
    package static func makeDatabase(template: String? = nil) async throws -> TestDatabase {
        let server = try await connectionString()
        await turns.take()
        do {
            return try await makeDatabase(on: server, template: template)
        } catch {
            await turns.giveBack()
            throw error
        }
    }

    /// A migrated database that others are copied from. It takes nobody's turn and stays as long as the cluster.
    package static func makeTemplate() async throws -> TestDatabase {
        try await makeDatabase(on: try await connectionString(), template: nil)
    }

    private static func makeDatabase(on server: String, template: String?) async throws -> TestDatabase {
        let name = "t\(getpid())_\(UInt64.random(in: .min ... .max))"
        let source = template.map { " TEMPLATE \(TestDatabase.quoted($0))" } ?? ""
        try await TestDatabase.run("CREATE DATABASE \(name)\(source)", on: server)
        return TestDatabase(name: name, server: server)
    }

    /// One cluster for all tests of the process: a static value is made once, and everybody awaits the same
    /// task.
    private static let started = Task { try await start() }

    static let turns = TestTurns(16)

    /// The newest programs of PostgreSQL, looked for once.
    static let binaries = Task { try await PostgresBinaries.find()[0] }

    private static func start() async throws -> String {
        if let given = getenv("SAUNTER_TEST_DATABASE_URL"), given.pointee != 0 {
            return String(cString: given)
        }
        let binaries = try await binaries.value
        let account = try await ClusterAccount.forNewCluster()
        let directory = try TemporaryDirectory.make(ownedBy: account)
        try await TestWatchdog.start(binaries: binaries, account: account, directory: directory)
        return "host=\(directory) port=5432 user=postgres dbname=postgres"
    }
}
