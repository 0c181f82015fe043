import Logging
import Postgres
import SaunterCore

/// Reads and writes the database. It contains no rules: the caller has decided every rule before it calls a function of
/// the store.
///
/// There is one pool per PostgreSQL role, so that code that needs no identities cannot read them by mistake.
package struct Store: Sendable {
    /// Accounts, tokens and grants. Cannot read answers.
    let identity: Pool
    /// Enrolments, occasions, sheets and walks. Cannot read identities.
    package let research: Pool
    /// Both, for the operations that join them: enrol, erase, remind.
    let clerk: Pool
    /// Reads research data only, for monitoring and the change feed.
    package let export: Pool
    /// Reads research data for datasets, which take long. One connection, because no client waits for a dataset.
    package let datasets: Pool
    /// Reads research data for clients that wait for the response, so that a running dataset does not delay them.
    package let readers: Pool
    /// The keys that are derived from the master key.
    package let secrets: StoreSecrets
    let due = DueQueue()
    let dueDecisions = DueQueue()

    /// Connections are opened when they are first used.
    /// - Parameters:
    ///   - connections: size of the research pool. The other pools get a fixed share of it, so that none of them delays
    ///     ingest.
    package init(_ url: ConnectionString, secrets: StoreSecrets, connections: Int = 8, logger: Logger) {
        func pool(_ name: String, _ role: String, _ size: Int, _ timeout: Duration?) -> Pool {
            Pool(
                connectionString: url, size: size, role: role, name: name, applicationName: "saunter-\(name)",
                statementTimeout: timeout, logger: logger)
        }
        identity = pool("identity", "saunter_identity", max(2, connections / 2), .seconds(10))
        research = pool("research", "saunter_research", connections, .seconds(30))
        clerk = pool("clerk", "saunter_clerk", max(2, connections / 4), .seconds(30))
        export = pool("export", "saunter_export", 2, nil)
        datasets = pool("datasets", "saunter_export", 1, nil)
        readers = pool("readers", "saunter_export", max(2, connections / 2), .seconds(60))
        self.secrets = secrets
    }

    /// Waits for running statements, then closes all connections.
    package func close() async {
        async let first: Void = identity.close()
        async let second: Void = research.close()
        async let third: Void = clerk.close()
        async let fourth: Void = export.close()
        async let fifth: Void = datasets.close()
        async let sixth: Void = readers.close()
        _ = await (first, second, third, fourth, fifth, sixth)
    }

    /// PostgreSQL's settings for memory and the write-ahead log that are below the advice of the documentation, such as
    /// `shared_buffers = 128MB; advised is a quarter of the memory of its machine`.
    package func listSmallSizes() async throws -> [String] {
        try await research.query(Statements.studies["list_size_settings"], []).map { row in
            let name = try row.get("name", as: String.self)
            let value = try row.get("value", as: String.self)
            return "\(name) = \(value); advised is \(try row.get("advice", as: String.self))"
        }
    }

    /// One round trip. The readiness check calls it.
    package func ping() async throws {
        _ = try await research.query(Statement(name: "ping", sql: "select 1"), [])
    }
}
