import Logging
import Postgres
import SaunterCore

/// What is read and written, and nothing else: every rule is decided before it comes here. One pool per role, so that code which needs no
/// identities cannot read them even by mistake.
package struct Store: Sendable {
    /// Accounts, tokens, grants; no answers.
    let identity: Pool
    /// Enrolments, occasions, sheets, walks; no identities.
    package let research: Pool
    /// Both, for the acts that join them.
    let clerk: Pool
    /// Reads research data only; monitoring and changes.
    package let export: Pool
    /// The same for datasets, which take long: one at a time, and nobody waits for them.
    package let datasets: Pool
    /// The same for those who read a study while they wait, so that a dataset in the making does not hold them up.
    package let readers: Pool
    package let secrets: StoreSecrets
    let due = DueQueue()

    /// Opens lazily; connections are made when they are first wanted.
    /// - Parameters:
    ///   - connections: of the research pool, the busy one; the others take a share of their own, so that none starves ingest.
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

    /// Waits for what is under way, then closes every connection.
    package func close() async {
        async let first: Void = identity.close()
        async let second: Void = research.close()
        async let third: Void = clerk.close()
        async let fourth: Void = export.close()
        async let fifth: Void = datasets.close()
        async let sixth: Void = readers.close()
        _ = await (first, second, third, fourth, fifth, sixth)
    }

    /// One round trip, for the readiness check.
    package func ping() async throws {
        _ = try await research.query(Statement(name: "ping", sql: "select 1"), [])
    }
}
