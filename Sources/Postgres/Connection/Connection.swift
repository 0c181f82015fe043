import Logging
import Metrics
import Synchronization

/// One connection to the database: an actor on a thread of its own, which alone talks to libpq.
///
/// Requests run one after another in the order in which they arrive. A request whose task is cancelled is
/// cancelled at the server too; afterwards the connection is usable, or lost if the server did not react.
package actor Connection {
    nonisolated let thread: ConnectionThread
    nonisolated let settings: ConnectionSettings
    private nonisolated let resting = Atomic(false)
    private nonisolated let standing = Mutex(Standing())
    private nonisolated let lossObserver: @Sendable () -> Void
    var session: Session?
    var machine: ConnectionMachine
    private var exchangeSerial: UInt64 = 0
    private var timers: [String: Metrics.Timer] = [:]
    let mailbox = NotificationMailbox()

    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe thread.asUnownedSerialExecutor()
    }

    init(thread: ConnectionThread, settings: ConnectionSettings, onLoss: @escaping @Sendable () -> Void) {
        self.thread = thread
        self.settings = settings
        lossObserver = onLoss
        machine = ConnectionMachine(isEnclosed: settings.isEnclosed)
    }

    deinit {
        thread.stop()
    }

    /// Connects. `connectTimeout` holds for each host of a list and is rounded up to whole seconds, at least
    /// two. `role` is taken with SET ROLE. Without `statementTimeout` the server's own setting holds.
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
                string: string, role: role, applicationName: applicationName,
                statementTimeout: statementTimeout,
                connectTimeout: connectTimeout, logger: logger,
                metrics: DatabaseMetrics(pool: applicationName)))
    }

    /// `onLoss` is called once, when the connection has become useless otherwise than by `close`.
    static func open(
        _ settings: ConnectionSettings, onLoss: @escaping @Sendable () -> Void = {}
    ) async throws(DatabaseError) -> Connection {
        guard let thread = ConnectionThread.start() else {
            throw DatabaseError(
                .connection(reason: "no thread or file descriptor is left", commitUnknown: false))
        }
        let connection = Connection(thread: thread, settings: settings, onLoss: onLoss)
        try await connection.open()
        return connection
    }

    /// False once the connection is lost or closed.
    package var isUsable: Bool {
        session?.isUsable ?? false
    }

    /// Usable, and nothing is open on it: fit to be lent again. Readable without waiting for the connection's
    /// thread.
    nonisolated var isAtRest: Bool {
        resting.load(ordering: .acquiring)
    }

    /// Which of the hosts it leads to, with the port; empty until it is connected. Readable without waiting for the connection's thread.
    nonisolated var server: String {
        standing.withLock { $0.server }
    }

    /// Since when a request waits for the end of its answer; nil while there is none.
    nonisolated var waitsSince: ContinuousClock.Instant? {
        standing.withLock { $0.waitsSince }
    }

    /// What may be known of a connection while its thread is busy.
    private struct Standing {
        var server = ""
        var waitsSince: ContinuousClock.Instant?
    }

    /// Cancels the request that is under way, if any: it fails with `.cancelled` unless it was quicker.
    package nonisolated func cancel() {
        thread.interruptRunning()
    }

    /// Has the connection dropped whatever it is doing. `close` must still be called.
    nonisolated func abort() {
        thread.abort()
    }

    /// Ends the session. Requests made afterwards fail.
    package func close() {
        thread.stopWatching()
        machine.closed()
        mailbox.finish(throwing: nil)
        session = nil
        resting.store(false, ordering: .releasing)
    }

    private func open() throws(DatabaseError) {
        let session = try Session.open(settings.wireSettings(), thread: thread)
        try session.begin(
            makeExchange(limit: settings.connectTimeout, isInterruptible: false, commits: false))
        _ = try session.query(Call(ConnectionSettings.setUp, settings.setUpParameters))
        if settings.isEnclosed { _ = try session.command("BEGIN") }
        session.mailbox = mailbox
        self.session = session
        let server = session.server
        standing.withLock { $0.server = server }
        settle()
    }

    /// Sends something and receives the answer, on the connection's thread, for the holder of `level`.
    func perform<Value: Sendable>(
        by level: ConnectionMachine.Level?, name: String, isInterruptible: Bool = true,
        _ work: (Session) throws(DatabaseError) -> Value
    ) async throws(DatabaseError) -> Value {
        do {
            try machine.checkRequest(by: level)
            return try await exchange(name: name, isInterruptible: isInterruptible, work)
        } catch {
            throw error.naming(name)
        }
    }

    /// As `perform`, when the right to ask has been settled already.
    func exchange<Value: Sendable>(
        name: String, isInterruptible: Bool, commits: Bool? = nil, stopsAtOnce: Bool = false,
        _ work: (Session) throws(DatabaseError) -> Value
    ) async throws(DatabaseError) -> Value {
        guard let session else {
            throw DatabaseError(.connection(reason: "the connection is closed", commitUnknown: false))
        }
        if isInterruptible, Task.isCancelled { throw DatabaseError(.cancelled) }
        let exchange = makeExchange(
            limit: settings.statementTimeout, isInterruptible: isInterruptible,
            commits: commits ?? (session.transactionStatus == .idle), stopsAtOnce: stopsAtOnce)
        thread.stopWatching()
        let thread = thread
        let startedAt = ContinuousClock.now
        standing.withLock { $0.waitsSince = startedAt }
        let result = await withTaskCancellationHandler {
            // A closure that does not name `self` would not run on this actor.
            self.carryOut(exchange, in: session, work)
        } onCancel: {
            thread.interrupt(exchange: exchange.number)
        }
        standing.withLock { $0.waitsSince = nil }
        timer(of: name).record(duration: startedAt.duration(to: .now))
        if case .failure(let error) = result { settings.metrics.count(error) }
        settle()
        return try result.get()
    }

    /// Names of statements are few; that they stay so is not this client's to decide, so neither is it to
    /// rely on.
    private func timer(of name: String) -> Metrics.Timer {
        if let timer = timers[name] { return timer }
        let timer = settings.metrics.timer(of: name)
        if timers.count < PreparedStatements.capacity { timers[name] = timer }
        return timer
    }

    private func carryOut<Value>(
        _ exchange: Exchange, in session: Session, _ work: (Session) throws(DatabaseError) -> Value
    ) -> Result<Value, DatabaseError> {
        Result { () throws(DatabaseError) in
            try session.begin(exchange)
            defer { session.finish() }
            return try work(session)
        }
    }

    private func makeExchange(
        limit: Duration?, isInterruptible: Bool, commits: Bool, stopsAtOnce: Bool = false
    ) -> Exchange {
        exchangeSerial += 1
        thread.began(exchange: exchangeSerial)
        return Exchange(
            number: exchangeSerial, startedAt: .now, limit: limit, isInterruptible: isInterruptible,
            commits: commits,
            stopsAtOnce: stopsAtOnce)
    }

    /// To be called whenever something has been done: publishes how the connection stands, and has the thread
    /// watch the socket if nothing is under way.
    func settle() {
        guard let session, session.isUsable else { return lost() }
        let base: TransactionStatus = settings.isEnclosed ? .open : .idle
        resting.store(machine.isAtRest && session.transactionStatus == base, ordering: .releasing)
        session.deliverNotifications()
        guard !machine.isCopying else { return }
        thread.watch(session.socket) { [weak self] in
            Task { await self?.hear() }
        }
    }

    /// The server has something to say though nothing was asked: a notification, or the end of the session.
    private func hear() {
        guard let session, !machine.isCopying else { return }
        session.hear()
        settle()
    }

    private func lost() {
        let wasOpen = !machine.isClosed
        let reason = session?.lossReason ?? "lost"
        mailbox.finish(throwing: DatabaseError(.connection(reason: reason, commitUnknown: false)))
        close()
        guard wasOpen else { return }
        settings.logger.warning("database connection lost", metadata: ["reason": "\(reason)"])
        lossObserver()
    }
}
