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
            connectionString: connectionString, role: role, applicationName: applicationName,
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

    /// Like `write`, and sends the first statements together with the `BEGIN`, which saves a round trip. The block gets
    /// their rows.
    @discardableResult
    package nonisolated(nonsending) func write<Value>(
        opening calls: [(Statement, Arguments)],
        _ body: nonisolated(nonsending) (Transaction, [Rows]) async throws -> Value
    ) async throws -> Value {
        let (lease, (level, rows)) = try await begin { connection throws(DatabaseError) in
            try await connection.begin(opening: calls)
        }
        defer { release(lease) }
        return try await lease.connection.runBlock(level) { try await body($0, rows) }
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

/// Runs requests on a free connection. If that connection is broken, retries on another one.
extension Pool {
    /// Runs the block in a transaction. Retries only the `BEGIN`, never the block.
    nonisolated(nonsending) func transaction<Value>(
        isolation: Isolation, readOnly: Bool,
        _ body: nonisolated(nonsending) (Transaction) async throws -> Value
    ) async throws -> Value {
        let (lease, level) = try await begin { connection throws(DatabaseError) in
            try await connection.begin(by: nil, isolation: isolation, readOnly: readOnly)
        }
        defer { release(lease) }
        return try await lease.connection.runBlock(level, body)
    }

    /// Begins a transaction. If the connection breaks, retries on another one, at most `size` times: a `BEGIN` that
    /// fails has changed nothing.
    private func begin<Begun: Sendable>(
        _ begin: (Connection) async throws(DatabaseError) -> Begun
    ) async throws(DatabaseError) -> (Lease, Begun) {
        var attempt = 0
        while true {
            let lease = try await acquire()
            do throws(DatabaseError) {
                return (lease, try await begin(lease.connection))
            } catch {
                release(lease)
                attempt += 1
                guard canRetryOnAnotherConnection(error), attempt <= size else { throw error }
            }
        }
    }

    /// Runs a single request. If its connection broke before the request was sent, retries on another one, at most
    /// `size` times.
    func retryOnBrokenConnection<Value: Sendable>(
        _ body: (Connection) async throws(DatabaseError) -> Value
    ) async throws(DatabaseError) -> Value {
        var attempt = 0
        while true {
            let lease = try await acquire()
            defer { release(lease) }
            do throws(DatabaseError) {
                return try await body(lease.connection)
            } catch {
                attempt += 1
                guard canRetryOnAnotherConnection(error), attempt <= size else { throw error }
            }
        }
    }

    /// Whether a request that failed with this error can be sent again. A request whose commit may have succeeded
    /// cannot.
    private func canRetryOnAnotherConnection(_ error: DatabaseError) -> Bool {
        if case .connection(_, commitUnknown: false) = error.kind { true } else { false }
    }
}

/// Acquires and releases connections.
extension Pool {
    /// Leases an idle connection, or waits for one at most `acquireTimeout`.
    func acquire() async throws(DatabaseError) -> Lease {
        let startedAt = ContinuousClock.now
        let (waiter, lease) = takeIdle()
        let result =
            if let lease { Result<Lease, DatabaseError>.success(lease) } else { await wait(as: waiter) }
        settings.metrics.record(acquireWait: startedAt.duration(to: .now))
        if case .failure(let error) = result { settings.metrics.count(error) }
        return try result.get()
    }

    /// Leases an idle connection without waiting. If there is none, the caller waits under the returned id.
    private func takeIdle() -> (PoolMachine.WaiterID, Lease?) {
        state.withLock { state in
            state.lastWaiterID += 1
            let lease = state.machine.takeIdle().flatMap { slot in
                state.connections[slot].map { Lease(slot: slot, connection: $0) }
            }
            if lease != nil { settings.metrics.record(inUse: state.machine.leasedCount) }
            return (state.lastWaiterID, lease)
        }
    }

    private func wait(as waiter: PoolMachine.WaiterID) async -> Result<Lease, DatabaseError> {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let timer = Task { [weak self, acquireTimeout] in
                    guard (try? await Task.sleep(for: acquireTimeout)) != nil else { return }
                    self?.perform { $0.machine.stopWaiting(waiter, because: .timedOut) }
                }
                perform { state in
                    state.waiters[waiter] = Waiter(continuation: continuation, timer: timer)
                    let actions = state.machine.acquire(waiter)
                    // If the task was cancelled before it joined the queue, `onCancel` found no waiter to remove.
                    return Task.isCancelled
                        ? actions + state.machine.stopWaiting(waiter, because: .cancelled) : actions
                }
            }
        } onCancel: {
            perform { $0.machine.stopWaiting(waiter, because: .cancelled) }
        }
    }

    func release(_ lease: Lease) {
        perform { $0.machine.released(lease.slot, isReusable: lease.connection.isIdle) }
    }
}

/// Performs the actions that `PoolMachine` returns.
extension Pool {
    /// Sends an event to the machine and performs the actions that it returns. Changes the state under the lock. Runs
    /// the other effects after the lock is released.
    func perform(_ event: (inout State) -> [PoolMachine.Action]) {
        var effects: [@Sendable () -> Void] = []
        state.withLock { state in
            for action in event(&state) { apply(action, to: &state, &effects) }
            // Recorded under the lock, because otherwise an older value could replace a newer one.
            settings.metrics.record(inUse: state.machine.leasedCount)
        }
        for effect in effects { effect() }
    }

    private func apply(
        _ action: PoolMachine.Action, to state: inout State, _ effects: inout [@Sendable () -> Void]
    ) {
        switch action {
        case .open(let slot, let delay):
            effects.append { self.open(slot, after: delay) }
        case .lease(let slot, let id):
            guard let connection = state.connections[slot],
                let waiter = state.waiters.removeValue(forKey: id)
            else { return }
            effects.append { waiter.resume(.success(Lease(slot: slot, connection: connection))) }
        case .reject(let id, let rejection):
            guard let waiter = state.waiters.removeValue(forKey: id) else { return }
            let error = Self.error(for: rejection, state.machine.isFailing ? state.lastOpenFailure : nil)
            effects.append { waiter.resume(.failure(error)) }
        case .discard(let slot):
            guard let connection = state.connections.removeValue(forKey: slot) else { return }
            effects.append { Task { await connection.close() } }
        case .abort(let slot):
            state.connections[slot]?.abort()
        case .finish:
            state.isFinished = true
            let continuations = state.closeContinuations
            state.closeContinuations = []
            effects.append { for continuation in continuations { continuation.resume() } }
        }
    }

    private static func error(for rejection: PoolMachine.Rejection, _ openFailure: DatabaseError?)
        -> DatabaseError
    {
        switch rejection {
        case .closed: DatabaseError(.closed)
        case .cancelled: DatabaseError(.cancelled)
        // A failure to connect explains more than the fact that no connection was free.
        case .timedOut, .queueFull: openFailure ?? DatabaseError(.timeout(.acquire))
        }
    }

    var isClosing: Bool {
        state.withLock { $0.machine.isClosing }
    }

    /// Connects after `delay` and reports the result to the machine.
    private func open(_ slot: PoolMachine.Slot, after delay: Duration) {
        Task.detached { [self] in
            if delay > .zero { try await Task.sleep(for: delay) }
            do throws(DatabaseError) {
                if isClosing { throw DatabaseError(.closed) }
                let connection = try await Connection.open(settings) { [weak self] in
                    self?.perform { $0.machine.lost(slot) }
                }
                perform { state in
                    state.connections[slot] = connection
                    return state.machine.opened(slot)
                }
                startFailoverTask()
            } catch {
                if error.kind != .closed {
                    settings.logger.warning("cannot connect to the database", metadata: ["error": "\(error)"])
                }
                perform { state in
                    state.lastOpenFailure = error
                    return state.machine.openFailed(slot, jitter: .random(in: 0...1))
                }
            }
        }
    }
}
