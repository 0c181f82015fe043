import Glibc
import PrivateCluster

/// The temporary PostgreSQL cluster of one test process.
///
/// The cluster is made on first use in a temporary directory. It listens only on a Unix socket and runs without fsync
/// to save time. A separate watchdog process removes it when the test process ends for any reason.
/// `SAUNTER_TEST_DATABASE_URL` selects an existing server instead; tests must be able to create databases on it.
package enum TestCluster {
    /// A superuser's connection string for the database `postgres`, in the key=value form of libpq, or the value of
    /// `SAUNTER_TEST_DATABASE_URL`. The server accepts 400 connections.
    package static func connectionString() async throws -> String {
        try await started.value
    }

    /// Makes a database with a unique name, as a copy of `template` if there is one.
    ///
    /// The template must have no connections during the copy. If sixteen databases are in use, the call waits until
    /// another test drops its database.
    package static func makeDatabase(template: String? = nil) async throws -> TestDatabase {
        let server = try await connectionString()
        await permits.acquire()
        do {
            return try await makeDatabase(on: server, template: template)
        } catch {
            await permits.release()
            throw error
        }
    }

    /// Makes a database that serves as template. It does not count as used, and exists as long as the cluster.
    package static func makeTemplate() async throws -> TestDatabase {
        try await makeDatabase(on: try await connectionString(), template: nil)
    }

    private static func makeDatabase(on server: String, template: String?) async throws -> TestDatabase {
        let name = "t\(getpid())_\(UInt64.random(in: .min ... .max))"
        let source = template.map { " TEMPLATE \(TestDatabase.quoted($0))" } ?? ""
        try await TestDatabase.run("CREATE DATABASE \(name)\(source)", on: server)
        return TestDatabase(name: name, server: server)
    }

    /// One cluster for all tests of the process. A static value is initialised once, and all callers await the same
    /// task.
    private static let started = Task { try await start() }

    static let permits = TestPermits(16)

    /// The newest PostgreSQL programs on this machine. The search runs once.
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
