import Postgres
import SaunterTesting
import Testing

/// Connections to the test cluster's database `postgres`, where tests keep to temporary tables, or to a
/// database of the test's own.
enum TestServer {
    static func string() async throws -> ConnectionString {
        try ConnectionString(try await TestCluster.connectionString())
    }

    /// A connection for the time of the block.
    @discardableResult
    static func withConnection<Value>(
        statementTimeout: Duration? = nil, _ body: (Connection) async throws -> Value
    ) async throws -> Value {
        let connection = try await Connection.connect(
            to: try await string(), statementTimeout: statementTimeout)
        do {
            let value = try await body(connection)
            await connection.close()
            return value
        } catch {
            await connection.close()
            throw error
        }
    }

    /// A pool for the time of the block.
    @discardableResult
    static func withPool<Value>(
        size: Int, acquireTimeout: Duration = .seconds(30), maximumWaiting: Int = 10_000, role: String? = nil,
        string: ConnectionString? = nil, _ body: (Pool) async throws -> Value
    ) async throws -> Value {
        let server = try await Self.string()
        let pool = Pool(
            connectionString: string ?? server, size: size, role: role, acquireTimeout: acquireTimeout,
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

    /// A database for the time of the block.
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
    /// A statement written in the test.
    @discardableResult
    func run(_ sql: String, _ parameters: Parameter...) async throws(DatabaseError) -> Rows {
        try await query(Statement(name: "test", sql: sql), parameters)
    }

    /// The only value of the only row, in the column `value`.
    func value<Value: PostgresDecodable>(
        _ sql: String, _ parameters: Parameter..., as type: Value.Type = Value.self
    ) async throws(DatabaseError) -> Value {
        try await query(Statement(name: "test", sql: sql), parameters).one().get("value")
    }

    /// The process at the server's end.
    func backend() async throws(DatabaseError) -> Int {
        try await value("select pg_backend_pid() as value")
    }
}

/// What another session sees and does.
struct Observer {
    let connection: Connection

    /// Ends a backend, and returns when it is gone.
    func terminate(_ backend: Int) async throws {
        #expect(
            try await connection.value(
                "select pg_terminate_backend($1, 20000) as value", .int4(Int32(backend))))
    }

    /// Waits until a backend's row of `pg_stat_activity` fulfils a condition in SQL. The waiting is done by
    /// the server.
    func wait(for backend: Int, until condition: String) async throws {
        while true {
            let met: Bool = try await connection.value(
                "select count(*) > 0 as value from pg_stat_activity where pid = $1 and \(condition)",
                .int4(Int32(backend)))
            if met { return }
            try await connection.run("select pg_sleep(0.01)")
        }
    }

    /// A block with a second connection.
    @discardableResult
    static func with<Value>(_ body: (Observer) async throws -> Value) async throws -> Value {
        try await TestServer.withConnection { try await body(Observer(connection: $0)) }
    }
}

/// The kind of the error that the block throws, nil when it throws none or another.
func kind(_ body: () async throws -> Void) async -> DatabaseError.Kind? {
    do {
        try await body()
        return nil
    } catch {
        return (error as? DatabaseError)?.kind
    }
}
