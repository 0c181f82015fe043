import Logging
import Synchronization

/// Connections to one database under one role, shared by many tasks: first come, first served.
///
/// A broken connection is replaced when the next one is wanted; an idle one that the server has ended is noticed at once.
package final class Pool: Querying {
    private struct State {
        var machine: PoolMachine
        var connections: [PoolMachine.Slot: Connection] = [:]
        var waiting: [PoolMachine.Waiter: Waiting] = [:]
        var closers: [CheckedContinuation<Void, Never>] = []
        var waiterSerial: PoolMachine.Waiter = 0
        var isFinished = false
        var lastOpenFailure: DatabaseError?
    }

    /// A connection that is lent.
    struct Lease: Sendable {
        let slot: PoolMachine.Slot
        let connection: Connection
    }

    /// A task that waits for a connection, and what will end its patience.
    private struct Waiting {
        let continuation: CheckedContinuation<Result<Lease, DatabaseError>, Never>
        let timer: Task<Void, Never>

        func resume(_ result: Result<Lease, DatabaseError>) {
            timer.cancel()
            continuation.resume(returning: result)
        }
    }

    private let state: Mutex<State>
    private let settings: ConnectionSettings
    private let acquireTimeout: Duration
    let size: Int

    /// Connects to nothing yet. `role` is taken with SET ROLE; without `statementTimeout` the server's own setting holds;
    /// `connectTimeout` is for each host of a list; at most `maximumWaiting` tasks wait for a connection, none longer
    /// than `acquireTimeout`. `name` tells pools apart in metrics.
    ///
    /// With `isRolledBack`, for tests, there is one connection, inside a transaction that is never committed: what looks
    /// like a transaction is a savepoint in it, and closing the pool undoes everything.
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
        isRolledBack: Bool = false,
        logger: Logger = Logger(label: "postgres")
    ) {
        self.size = isRolledBack ? 1 : max(1, size)
        self.acquireTimeout = acquireTimeout
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

    /// Lends a connection for the time of the block. What the block leaves open on it is undone by dropping it.
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
    package func query(_ statement: Statement, _ parameters: [Parameter]) async throws(DatabaseError) -> Rows {
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

    /// Lends no more, waits until all that is lent has come back, and closes. After `grace` whoever still holds a
    /// connection loses it.
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

extension Pool {
    private nonisolated(nonsending) func transaction<Value>(
        isolation: Isolation, readOnly: Bool, _ body: nonisolated(nonsending) (Transaction) async throws -> Value
    ) async throws -> Value {
        let (lease, level) = try await begin(isolation: isolation, readOnly: readOnly)
        defer { giveBack(lease) }
        return try await lease.connection.complete(level, body)
    }

    /// A BEGIN that fails has done nothing, so it is tried on another connection.
    private func begin(
        isolation: Isolation, readOnly: Bool
    ) async throws(DatabaseError) -> (Lease, ConnectionMachine.Level) {
        var attempt = 0
        while true {
            let lease = try await acquire()
            do throws(DatabaseError) {
                return (lease, try await lease.connection.begin(by: nil, isolation: isolation, readOnly: readOnly))
            } catch {
                giveBack(lease)
                attempt += 1
                guard isWorthAnotherConnection(error), attempt <= size else { throw error }
            }
        }
    }

    /// Runs single requests; one that found its connection broken before anything was sent goes to another.
    private func replacingBroken<Value: Sendable>(
        _ body: (Connection) async throws(DatabaseError) -> Value
    ) async throws(DatabaseError) -> Value {
        var attempt = 0
        while true {
            let lease = try await acquire()
            defer { giveBack(lease) }
            do throws(DatabaseError) {
                return try await body(lease.connection)
            } catch {
                attempt += 1
                guard isWorthAnotherConnection(error), attempt <= size else { throw error }
            }
        }
    }

    private func isWorthAnotherConnection(_ error: DatabaseError) -> Bool {
        if case .connection(_, commitUnknown: false) = error.kind { true } else { false }
    }

    private func acquire() async throws(DatabaseError) -> Lease {
        let startedAt = ContinuousClock.now
        let (waiter, lease) = takeIdle()
        let result = if let lease { Result<Lease, DatabaseError>.success(lease) } else { await wait(as: waiter) }
        settings.metrics.record(acquireWait: startedAt.duration(to: .now))
        if case .failure(let error) = result { settings.metrics.count(error) }
        return try result.get()
    }

    /// The way without waiting, and a number for waiting when there is none.
    private func takeIdle() -> (PoolMachine.Waiter, Lease?) {
        state.withLock { state in
            state.waiterSerial += 1
            let lease = state.machine.takeIdle().flatMap { slot in
                state.connections[slot].map { Lease(slot: slot, connection: $0) }
            }
            if lease != nil { settings.metrics.record(inUse: state.machine.lentCount) }
            return (state.waiterSerial, lease)
        }
    }

    private func wait(as waiter: PoolMachine.Waiter) async -> Result<Lease, DatabaseError> {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let timer = Task { [weak self, acquireTimeout] in
                    guard (try? await Task.sleep(for: acquireTimeout)) != nil else { return }
                    self?.perform { $0.machine.giveUp(waiter, because: .timedOut) }
                }
                perform { state in
                    state.waiting[waiter] = Waiting(continuation: continuation, timer: timer)
                    let actions = state.machine.acquire(waiter)
                    // A task that was cancelled before it joined the queue found nobody to give up for.
                    return Task.isCancelled ? actions + state.machine.giveUp(waiter, because: .cancelled) : actions
                }
            }
        } onCancel: {
            perform { $0.machine.giveUp(waiter, because: .cancelled) }
        }
    }

    private func giveBack(_ lease: Lease) {
        perform { $0.machine.returned(lease.slot, isFit: lease.connection.isAtRest) }
    }

    /// Gives an event to the machine and does what it says: bookkeeping under the lock, the rest outside it.
    private func perform(_ event: (inout State) -> [PoolMachine.Action]) {
        var errands: [@Sendable () -> Void] = []
        state.withLock { state in
            for action in event(&state) { apply(action, to: &state, &errands) }
            // Under the lock, so that of two values the later one stays.
            settings.metrics.record(inUse: state.machine.lentCount)
        }
        for errand in errands { errand() }
    }

    private func apply(
        _ action: PoolMachine.Action, to state: inout State, _ errands: inout [@Sendable () -> Void]
    ) {
        switch action {
        case .open(let slot, let delay):
            errands.append { self.open(slot, after: delay) }
        case .lend(let slot, let waiter):
            guard let connection = state.connections[slot], let waiting = state.waiting.removeValue(forKey: waiter)
            else { return }
            errands.append { waiting.resume(.success(Lease(slot: slot, connection: connection))) }
        case .refuse(let waiter, let refusal):
            guard let waiting = state.waiting.removeValue(forKey: waiter) else { return }
            let error = Self.error(for: refusal, state.machine.isFailing ? state.lastOpenFailure : nil)
            errands.append { waiting.resume(.failure(error)) }
        case .discard(let slot):
            guard let connection = state.connections.removeValue(forKey: slot) else { return }
            errands.append { Task { await connection.close() } }
        case .abort(let slot):
            state.connections[slot]?.abort()
        case .finish:
            state.isFinished = true
            let closers = state.closers
            state.closers = []
            errands.append { for closer in closers { closer.resume() } }
        }
    }

    private static func error(for refusal: PoolMachine.Refusal, _ openFailure: DatabaseError?) -> DatabaseError {
        switch refusal {
        case .closed: DatabaseError(.closed)
        case .cancelled: DatabaseError(.cancelled)
        // That nothing could be opened says more than that nothing was free.
        case .timedOut, .crowded: openFailure ?? DatabaseError(.timeout(.acquire))
        }
    }

    private func open(_ slot: PoolMachine.Slot, after delay: Duration) {
        Task.detached { [self] in
            if delay > .zero { try await Task.sleep(for: delay) }
            do throws(DatabaseError) {
                let connection = try await Connection.open(settings) { [weak self] in
                    self?.perform { $0.machine.lost(slot) }
                }
                perform { state in
                    state.connections[slot] = connection
                    return state.machine.opened(slot)
                }
            } catch {
                settings.logger.warning("cannot connect to the database", metadata: ["error": "\(error)"])
                perform { state in
                    state.lastOpenFailure = error
                    return state.machine.openFailed(slot, jitter: .random(in: 0...1))
                }
            }
        }
    }
}
