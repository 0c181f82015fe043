import PrivateCluster

/// The database of one test on the test cluster.
package struct TestDatabase: Sendable {
    package let name: String
    /// A superuser's connection string for this database.
    package let connectionString: String
    private let server: String

    init(name: String, server: String) {
        self.name = name
        self.server = server
        connectionString = Self.connectionString(server, database: name)
    }

    /// Drops the database and closes its connections. Call it once.
    package func drop() async throws {
        await TestCluster.permits.release()
        try await Self.run("DROP DATABASE IF EXISTS \(name) WITH (FORCE)", on: server)
    }

    /// The connection string of another database on the same server. In both forms of libpq the last value of a key
    /// counts.
    static func connectionString(_ server: String, database: String) -> String {
        guard server.contains("://") else { return "\(server) dbname=\(database)" }
        return "\(server)\(server.contains("?") ? "&" : "?")dbname=\(database)"
    }

    /// An SQL identifier in quotes.
    static func quoted(_ identifier: String) -> String {
        "\"\(identifier.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\""))\""
    }

    /// Runs one SQL command with psql, which stops at the first error.
    static func run(_ sql: String, on server: String) async throws {
        try await TestCluster.binaries.value.program(
            "psql", ["-X", "-q", "-v", "ON_ERROR_STOP=1", "-d", server, "-c", sql]
        )
        .runOrThrow()
    }
}
