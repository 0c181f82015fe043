import Logging
import Synchronization

/// Shares the connections to one database, under one role, between many tasks. Tasks that wait are served in order.
///
/// The pool replaces a broken connection when a task needs the next one. If the server ends an idle connection, the
/// pool notices it at once.
package final class Pool: Querying {
    struct State {
        var machine: PoolMachine
        var connections: [PoolMachine.Slot: Connection] = [:]
        var waiters: [PoolMachine.WaiterID: Waiter] = [:]
        /// The callers of `close` that wait for the last connection.
        var closeContinuations: [CheckedContinuation<Void, Never>] = []
        var lastWaiterID: PoolMachine.WaiterID = 0
        var isFinished = false
        var lastOpenFailure: DatabaseError?
        var hasFailoverTask = false
    }

    /// A connection that one task uses until it releases it.
    struct Lease: Sendable {
        let slot: PoolMachine.Slot
        let connection: Connection
    }

    /// A task that waits for a connection. Its timer ends the wait after `acquireTimeout`.
    struct Waiter {
        let continuation: CheckedContinuation<Result<Lease, DatabaseError>, Never>
        let timer: Task<Void, Never>

        func resume(_ result: Result<Lease, DatabaseError>) {
            timer.cancel()
            continuation.resume(returning: result)
        }
    }

    let state: Mutex<State>
    let settings: ConnectionSettings
    let acquireTimeout: Duration
    let size: Int
    let failoverCheckDelay: Duration

    /// Creates a pool. The first connection opens when a task needs it.
    ///
    /// - Parameters:
    ///   - size: The maximum number of connections.
    ///   - role: The role that each connection takes with `SET ROLE`.
    ///   - name: Identifies the pool in metrics.
    ///   - statementTimeout: The time limit of a statement. If nil, the setting of the server applies.
    ///   - connectTimeout: The time limit for each host of the connection string.
    ///   - acquireTimeout: The longest time for which a task waits for a connection.
    ///   - maximumWaiting: The maximum number of tasks that wait for a connection.
    ///   - failoverCheckDelay: If an answer takes longer than this, the pool looks for the current primary. It aborts
    ///     the connections to other servers. Applies only if the connection string lists several hosts and requires
    ///     the primary.
    ///   - isRolledBack: For tests. The pool has one connection, inside a transaction that is never committed. Each
    ///     transaction of a caller is a savepoint in it. Closing the pool undoes everything.
    package init(
        connectionString: ConnectionString,
        size: Int,
        role: String? = nil,
        name: String = "main",
        applicationName: String = "saunter",
        statementTimeout: Duration? = .seconds(30),
        connectTimeout: Duration = .seconds(5),
        acquireTimeout: Duration = .seconds(10),
        maximumWaiting: Int = 10_000,
        failoverCheckDelay: Duration = .seconds(5),
        isRolledBack: Bool = false,
        logger: Logger = Logger(label: "postgres")
    ) {
        self.size = isRolledBack ? 1 : max(1, size)
        self.acquireTimeout = acquireTimeout
        self.failoverCheckDelay = failoverCheckDelay
        settings = ConnectionSettings(
            string: connectionString, role: role, applicationName: applicationName,
            statementTimeout: statementTimeout, connectTimeout: connectTimeout, logger: logger,
            metrics: DatabaseMetrics(pool: name), hasOuterTransaction: isRolledBack)
        state = Mutex(State(machine: PoolMachine(size: self.size, maximumWaiting: maximumWaiting)))
    }

    /// The number of tasks that wait for a connection.
    package var waitingCount: Int {
        state.withLock { $0.machine.waitingCount }
    }

    /// Leases a connection while the block runs. If the block leaves a transaction or a COPY open, the pool closes the
    /// connection, which undoes the open work.
    @discardableResult
    package nonisolated(nonsending) func withConnection<Value>(
        _ body: nonisolated(nonsending) (Connection) async throws -> Value
    ) async throws -> Value {
        let lease = try await acquire()
        defer { release(lease) }
        return try await body(lease.connection)
    }

    /// Runs the block in a read-only transaction.
    @discardableResult
    package nonisolated(nonsending) func read<Value>(
        isolation: Isolation = .readCommitted,
        _ body: nonisolated(nonsending) (Transaction) async throws -> Value
    ) async throws -> Value {
        try await transaction(isolation: isolation, readOnly: true, body)
    }

    /// Runs the block in a transaction; see `Connection.transaction` for how it ends.
    @discardableResult
    package nonisolated(nonsending) func write<Value>(
        isolation: Isolation = .readCommitted,
        _ body: nonisolated(nonsending) (Transaction) async throws -> Value
    ) async throws -> Value {
        try await transaction(isolation: isolation, readOnly: false, body)
    }

    /// Runs one statement on any connection. If the connection broke before the statement was sent, it is
    /// sent on another one.
    @discardableResult
    package func query(_ statement: Statement, _ arguments: Arguments) async throws(DatabaseError) -> Rows {
        try await retryOnBrokenConnection { connection throws(DatabaseError) in
            try await connection.queryStandalone(statement, arguments)
        }
    }

    /// Runs statements in one round trip on any connection. Either all commit or none.
    @discardableResult
    package func pipeline(_ calls: [(Statement, Arguments)]) async throws(DatabaseError) -> [Rows] {
        try await retryOnBrokenConnection { connection throws(DatabaseError) in
            try await connection.pipelineStandalone(calls)
        }
    }

    /// Closes the pool. It leases no more connections and waits until all leased connections are released. After
    /// `grace` the pool aborts the connections that are still leased.
    package func close(grace: Duration = .seconds(10)) async {
        perform { $0.machine.close() }
        let force = Task {
            try await Task.sleep(for: grace)
            perform { $0.machine.forceClose() }
        }
        await withCheckedContinuation { continuation in
            let isFinished = state.withLock { state in
                if !state.isFinished { state.closeContinuations.append(continuation) }
                return state.isFinished
            }
            if isFinished { continuation.resume() }
        }
        force.cancel()
    }
}
