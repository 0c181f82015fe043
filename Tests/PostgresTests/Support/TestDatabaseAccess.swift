import Postgres
import SaunterTesting
import Testing

/// Opens connections to the test cluster.
///
/// The default database is `postgres`. All tests share it, so a test creates only temporary tables there.
/// `withDatabase` creates a separate database for one test.
enum TestServer {
    /// Returns the connection string of the database `postgres`.
    static func connectionString() async throws -> ConnectionString {
        try ConnectionString(try await TestCluster.connectionString())
    }

    /// Opens a connection, runs the block and closes the connection.
    @discardableResult
    static func withConnection<Value>(
        statementTimeout: Duration? = nil, _ body: (Connection) async throws -> Value
    ) async throws -> Value {
        let connection = try await Connection.connect(
            to: try await connectionString(), statementTimeout: statementTimeout)
        do {
            let value = try await body(connection)
            await connection.close()
            return value
        } catch {
            await connection.close()
            throw error
        }
    }

    /// Creates a pool, runs the block and closes the pool.
    @discardableResult
    static func withPool<Value>(
        size: Int, acquireTimeout: Duration = .seconds(30), maximumWaiting: Int = 10_000, role: String? = nil,
        connectionString: ConnectionString? = nil, _ body: (Pool) async throws -> Value
    ) async throws -> Value {
        let defaultConnectionString = try await Self.connectionString()
        let pool = Pool(
            connectionString: connectionString ?? defaultConnectionString, size: size, role: role,
            acquireTimeout: acquireTimeout,
            maximumWaiting: maximumWaiting)
        do {
            let value = try await body(pool)
            await pool.close(grace: .seconds(5))
            return value
        } catch {
            await pool.close(grace: .zero)
            throw error
        }
    }

    /// Creates a database, runs the block and drops the database.
    @discardableResult
    static func withDatabase<Value>(_ body: (ConnectionString) async throws -> Value) async throws -> Value {
        let database = try await TestCluster.makeDatabase()
        do {
            let value = try await body(try ConnectionString(database.connectionString))
            try await database.drop()
            return value
        } catch {
            try await database.drop()
            throw error
        }
    }
}

extension Querying {
    /// Runs SQL text from a test as a statement with the name `test`.
    @discardableResult
    func run(_ sql: String, _ parameters: Parameter...) async throws(DatabaseError) -> Rows {
        try await query(Statement(name: "test", sql: sql), Arguments(parameters))
    }

    /// Returns the column `value` of the only row.
    func value<Value: PostgresDecodable>(
        _ sql: String, _ parameters: Parameter..., as type: Value.Type = Value.self
    ) async throws(DatabaseError) -> Value {
        try await query(Statement(name: "test", sql: sql), Arguments(parameters)).one().get("value")
    }

    /// Returns the process ID of the server process that serves this session.
    func backendPID() async throws(DatabaseError) -> Int {
        try await value("select pg_backend_pid() as value")
    }
}

/// A second session. It observes and ends the server processes of other sessions.
struct Observer {
    let connection: Connection

    /// Ends the server process `backend` and waits until it has exited.
    func terminate(_ backend: Int) async throws {
        #expect(
            try await connection.value(
                "select pg_terminate_backend($1, 20000) as value", .int4(Int32(backend))))
    }

    /// Waits until the `pg_stat_activity` row of `backend` fulfils a condition in SQL. Checks every 10 ms; the
    /// server performs the pause.
    func wait(for backend: Int, until condition: String) async throws {
        while true {
            let isMet: Bool = try await connection.value(
                "select count(*) > 0 as value from pg_stat_activity where pid = $1 and \(condition)",
                .int4(Int32(backend)))
            if isMet { return }
            try await connection.run("select pg_sleep(0.01)")
        }
    }

    /// Opens a second connection, runs the block and closes the connection.
    @discardableResult
    static func with<Value>(_ body: (Observer) async throws -> Value) async throws -> Value {
        try await TestServer.withConnection { try await body(Observer(connection: $0)) }
    }
}

/// Returns the kind of the `DatabaseError` that the block throws. Returns nil if the block throws another error
/// or none.
func errorKind(_ body: () async throws -> Void) async -> DatabaseError.Kind? {
    do {
        try await body()
        return nil
    } catch {
        return (error as? DatabaseError)?.kind
    }
}
