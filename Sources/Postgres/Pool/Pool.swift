import Logging
import Synchronization

/// Connections to one database under one role, shared by many tasks: first come, first served.
///
/// A broken connection is replaced when the next one is wanted; an idle one that the server has ended is
/// noticed at once.
package final class Pool: Querying {
    struct State {
        var machine: PoolMachine
        var connections: [PoolMachine.Slot: Connection] = [:]
        var waiting: [PoolMachine.Waiter: Waiting] = [:]
        var closers: [CheckedContinuation<Void, Never>] = []
        var waiterSerial: PoolMachine.Waiter = 0
        var isFinished = false
        var lastOpenFailure: DatabaseError?
        var isWatched = false
    }

    /// A connection that is lent.
    struct Lease: Sendable {
        let slot: PoolMachine.Slot
        let connection: Connection
    }

    /// A task that waits for a connection, and what will end its patience.
    struct Waiting {
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
    let patience: Duration

    /// Connects to nothing yet. `role` is taken with SET ROLE; without `statementTimeout` the server's own
    /// setting holds; `connectTimeout` is for each host of a list; at most `maximumWaiting` tasks wait for a
    /// connection, none longer than `acquireTimeout`. Of several hosts,
    /// the one whose answer has been waited for longer than `patience` is left when another leads. `name` tells pools apart in metrics.
    ///
    /// With `isRolledBack`, for tests, there is one connection, inside a transaction that is never committed:
    /// what looks like a transaction is a savepoint in it, and closing the pool undoes everything.
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
        patience: Duration = .seconds(5),
        isRolledBack: Bool = false,
        logger: Logger = Logger(label: "postgres")
    ) {
        self.size = isRolledBack ? 1 : max(1, size)
        self.acquireTimeout = acquireTimeout
        self.patience = patience
        settings = ConnectionSettings(
            string: connectionString, role: role, applicationName: applicationName,
            statementTimeout: statementTimeout, connectTimeout: connectTimeout, logger: logger,
            metrics: DatabaseMetrics(pool: name), isEnclosed: isRolledBack)
        state = Mutex(State(machine: PoolMachine(size: self.size, maximumWaiting: maximumWaiting)))
    }

    /// How many tasks wait for a connection.
    package var waitingCount: Int {
        state.withLock { $0.machine.waitingCount }
    }

    /// Lends a connection for the time of the block. What the block leaves open on it is undone by dropping
    /// it.
    @discardableResult
    package nonisolated(nonsending) func withConnection<Value>(
        _ body: nonisolated(nonsending) (Connection) async throws -> Value
    ) async throws -> Value {
        let lease = try await acquire()
        defer { giveBack(lease) }
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

    @discardableResult
    package func query(_ statement: Statement, _ parameters: [Parameter]) async throws(DatabaseError) -> Rows
    {
        try await replacingBroken { connection throws(DatabaseError) in
            try await connection.queryApart(statement, parameters)
        }
    }

    @discardableResult
    package func pipeline(_ calls: [(Statement, [Parameter])]) async throws(DatabaseError) -> [Rows] {
        try await replacingBroken { connection throws(DatabaseError) in
            try await connection.pipelineApart(calls)
        }
    }

    /// Lends no more, waits until all that is lent has come back, and closes. After `grace` whoever still
    /// holds a connection loses it.
    package func close(grace: Duration = .seconds(10)) async {
        perform { $0.machine.close() }
        let force = Task {
            try await Task.sleep(for: grace)
            perform { $0.machine.forceClose() }
        }
        await withCheckedContinuation { continuation in
            let isFinished = state.withLock { state in
                if !state.isFinished { state.closers.append(continuation) }
                return state.isFinished
            }
            if isFinished { continuation.resume() }
        }
        force.cancel()
    }
}
