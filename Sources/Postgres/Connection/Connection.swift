import Logging
import Metrics
import Synchronization

/// One connection to the database. The actor runs on its own thread. Only this thread calls libpq, except that a
/// cancellation request runs on a separate thread.
///
/// Requests run one after another, in the order in which they arrive. If the task of a request is cancelled, the
/// request is cancelled at the server too. After that the connection is usable, or lost if the server did not react.
package actor Connection {
    nonisolated let thread: ConnectionThread
    nonisolated let settings: ConnectionSettings
    private nonisolated let idle = Atomic(false)
    private nonisolated let sharedStatus = Mutex(SharedStatus())
    private nonisolated let lossObserver: @Sendable () -> Void
    var session: Session?
    var machine: ConnectionMachine
    private var exchangeSerial: UInt64 = 0
    private var timers: [String: Metrics.Timer] = [:]

    /// The thread of the connection, as the executor of this actor.
    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe thread.asUnownedSerialExecutor()
    }

    init(thread: ConnectionThread, settings: ConnectionSettings, onLoss: @escaping @Sendable () -> Void) {
        self.thread = thread
        self.settings = settings
        lossObserver = onLoss
        machine = ConnectionMachine(hasOuterTransaction: settings.hasOuterTransaction)
    }

    deinit {
        thread.stop()
    }

    /// Connects to the server.
    ///
    /// - `connectTimeout` applies to each host of a list. It is rounded up to whole seconds, at least two.
    /// - `role` is set with SET ROLE.
    /// - Without `statementTimeout`, the setting of the server applies.
    package static func connect(
        to string: ConnectionString,
        role: String? = nil,
        applicationName: String = "saunter",
        statementTimeout: Duration? = nil,
        connectTimeout: Duration = .seconds(10),
        logger: Logger = Logger(label: "postgres")
    ) async throws(DatabaseError) -> Connection {
        try await open(
            ConnectionSettings(
                connectionString: string, role: role, applicationName: applicationName,
                statementTimeout: statementTimeout,
                connectTimeout: connectTimeout, logger: logger,
                metrics: DatabaseMetrics(pool: applicationName)))
    }

    /// Connects to the server. `onLoss` is called once if the connection is lost. It is not called for `close`.
    static func open(
        _ settings: ConnectionSettings, onLoss: @escaping @Sendable () -> Void = {}
    ) async throws(DatabaseError) -> Connection {
        guard let thread = ConnectionThread.start() else {
            throw DatabaseError(
                .connection(reason: "the system has no thread or file descriptor left", commitUnknown: false))
        }
        let connection = Connection(thread: thread, settings: settings, onLoss: onLoss)
        try await connection.open()
        return connection
    }

    /// Whether the connection is neither lost nor closed.
    package var isUsable: Bool {
        session?.isUsable ?? false
    }

    /// Whether the connection is usable and has no open transaction and no COPY in progress. The pool may then lease
    /// it again. Reading this does not wait for the thread of the connection.
    nonisolated var isIdle: Bool {
        idle.load(ordering: .acquiring)
    }

    /// Host and port of the connected server. Empty before the connection is open. Reading this does not wait for the
    /// thread of the connection.
    nonisolated var server: String {
        sharedStatus.withLock { $0.server }
    }

    /// When the running request started; nil if no request is running. Reading this does not wait for the thread of
    /// the connection.
    nonisolated var requestStartedAt: ContinuousClock.Instant? {
        sharedStatus.withLock { $0.requestStartedAt }
    }

    /// The status that other threads can read while the thread of the connection is busy.
    private struct SharedStatus {
        var server = ""
        var requestStartedAt: ContinuousClock.Instant?
    }

    /// Cancels the running request, if there is one. The request fails with `.cancelled` unless it finishes first.
    package nonisolated func cancel() {
        thread.interruptRunning()
    }

    /// Drops the connection to the server, even during a request. The caller must still call `close`.
    nonisolated func abort() {
        thread.abort()
    }

    /// Ends the session. Later requests fail.
    package func close() {
        thread.stopWatching()
        machine.closed()
        session = nil
        idle.store(false, ordering: .releasing)
    }

    private func open() throws(DatabaseError) {
        let session = try Session.open(settings.libpqSettings(), thread: thread)
        try session.begin(
            makeExchange(limit: settings.connectTimeout, isInterruptible: false, commits: false))
        _ = try session.query(Call(ConnectionSettings.setUpStatement, settings.setUpParameters))
        if settings.hasOuterTransaction { _ = try session.command("BEGIN") }
        self.session = session
        let server = session.server
        sharedStatus.withLock { $0.server = server }
        refreshStatus()
    }

    /// Sends a request for the holder of `level` and receives the response, on the thread of the connection.
    func perform<Value: Sendable>(
        by level: ConnectionMachine.Level?, name: String, isInterruptible: Bool = true,
        _ work: (Session) throws(DatabaseError) -> Value
    ) async throws(DatabaseError) -> Value {
        do {
            try machine.checkRequest(by: level)
            return try await performUnchecked(name: name, isInterruptible: isInterruptible, work)
        } catch {
            throw error.naming(name)
        }
    }

    /// Like `perform`, but without `ConnectionMachine.checkRequest`. For the begin and the end of a level, which the
    /// machine decides itself, and for the pieces of a COPY, which the check would reject.
    ///
    /// - Parameters:
    ///   - commits: Whether the end of the request commits. If nil, it does so outside a transaction.
    ///   - isInterruptible, stopsImmediately: See `Exchange`.
    func performUnchecked<Value: Sendable>(
        name: String, isInterruptible: Bool, commits: Bool? = nil, stopsImmediately: Bool = false,
        _ work: (Session) throws(DatabaseError) -> Value
    ) async throws(DatabaseError) -> Value {
        guard let session else {
            throw DatabaseError(.connection(reason: "the connection is closed", commitUnknown: false))
        }
        if isInterruptible, Task.isCancelled { throw DatabaseError(.cancelled) }
        let exchange = makeExchange(
            limit: settings.statementTimeout, isInterruptible: isInterruptible,
            commits: commits ?? (session.transactionStatus == .idle), stopsImmediately: stopsImmediately)
        thread.stopWatching()
        let thread = thread
        let startedAt = ContinuousClock.now
        sharedStatus.withLock { $0.requestStartedAt = startedAt }
        let result = await withTaskCancellationHandler {
            // The closure must mention `self`. Otherwise it would not run on this actor.
            self.runExchange(exchange, in: session, work)
        } onCancel: {
            thread.interrupt(exchange: exchange.number)
        }
        sharedStatus.withLock { $0.requestStartedAt = nil }
        timer(of: name).record(duration: startedAt.duration(to: .now))
        if case .failure(let error) = result { settings.metrics.count(error) }
        refreshStatus()
        return try result.get()
    }

    /// Returns the timer of a statement name. The size of the cache is limited because callers choose the names.
    private func timer(of name: String) -> Metrics.Timer {
        if let timer = timers[name] { return timer }
        let timer = settings.metrics.timer(of: name)
        if timers.count < PreparedStatements.capacity { timers[name] = timer }
        return timer
    }

    private func runExchange<Value>(
        _ exchange: Exchange, in session: Session, _ work: (Session) throws(DatabaseError) -> Value
    ) -> Result<Value, DatabaseError> {
        Result { () throws(DatabaseError) in
            try session.begin(exchange)
            defer { session.finish() }
            return try work(session)
        }
    }

    private func makeExchange(
        limit: Duration?, isInterruptible: Bool, commits: Bool, stopsImmediately: Bool = false
    ) -> Exchange {
        exchangeSerial += 1
        thread.setRunning(exchange: exchangeSerial)
        return Exchange(
            number: exchangeSerial, startedAt: .now, limit: limit, isInterruptible: isInterruptible,
            commits: commits,
            stopsImmediately: stopsImmediately)
    }

    /// Publishes the status of the connection, and makes the thread watch the socket unless a COPY is in progress.
    /// If the session is no longer usable, handles the loss. Must be called after every operation.
    func refreshStatus() {
        guard let session, session.isUsable else { return handleLoss() }
        let base: TransactionStatus = settings.hasOuterTransaction ? .open : .idle
        idle.store(machine.isIdle && session.transactionStatus == base, ordering: .releasing)
        guard !machine.isCopying else { return }
        thread.watch(session.socket) { [weak self] in
            Task { await self?.readUnsolicited() }
        }
    }

    /// Reads a message that the server sent without a request, for example the end of the session.
    private func readUnsolicited() {
        guard let session, !machine.isCopying else { return }
        session.readUnsolicited()
        refreshStatus()
    }

    private func handleLoss() {
        let wasOpen = !machine.isClosed
        let reason = session?.lossReason ?? "lost"
        close()
        guard wasOpen else { return }
        settings.logger.warning("database connection lost", metadata: ["reason": "\(reason)"])
        lossObserver()
    }
}
