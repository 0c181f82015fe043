import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The thread of one connection. It is the executor of the `Connection` actor.
///
/// Only the connection runs on this thread, so its work may block in `poll`. No thread of the cooperative pool waits
/// for the database. Between jobs the thread sleeps in `poll` too. Then it also watches the socket, and detects
/// immediately when the server closes an idle connection.
final class ConnectionThread: SerialExecutor {
    private struct State {
        var jobs: [UnownedJob] = []
        var isAsleep = false
        var isStopping = false
        var watch: Watch?
        var identity: pthread_t?
    }

    /// A socket that the thread watches while it has no jobs. `readable` is called once.
    private struct Watch {
        let socket: Int32
        let readable: @Sendable () -> Void
    }

    let pipe: WakePipe
    private let state = Mutex(State())
    /// The number of the last interrupted exchange. Numbers start at 1 and increase.
    private let interruptedExchange = Atomic<UInt64>(0)
    private let runningExchange = Atomic<UInt64>(0)
    private let isAborted = Atomic(false)

    private init(pipe: WakePipe) {
        self.pipe = pipe
    }

    /// Starts the thread, which runs until `stop`. Returns nil if the system has no thread or file descriptor left.
    static func start() -> ConnectionThread? {
        guard let pipe = WakePipe() else { return nil }
        let thread = ConnectionThread(pipe: pipe)
        return DetachedThread.start { thread.run() } ? thread : nil
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let unowned = UnownedJob(job)
        let wasAsleep = state.withLock { state in
            state.jobs.append(unowned)
            defer { state.isAsleep = false }
            return state.isAsleep
        }
        if wasAsleep { pipe.wake() }
    }

    /// Ends the thread after its last job. Call this only when no more jobs can follow.
    func stop() {
        state.withLock { $0.isStopping = true }
        pipe.wake()
    }

    /// Watches the socket while the thread has no jobs. When the socket becomes readable, calls `readable` once and
    /// stops watching.
    func watch(_ socket: Int32, readable: @escaping @Sendable () -> Void) {
        state.withLock { $0.watch = Watch(socket: socket, readable: readable) }
    }

    func stopWatching() {
        state.withLock { $0.watch = nil }
    }

    /// Records which exchange runs now.
    func setRunning(exchange: UInt64) {
        runningExchange.store(exchange, ordering: .relaxed)
    }

    /// Asks the running exchange to stop. Any thread may call this.
    func interruptRunning() {
        interrupt(exchange: runningExchange.load(ordering: .relaxed))
    }

    /// Asks the exchange to stop if it is still running. Any thread may call this.
    func interrupt(exchange: UInt64) {
        interruptedExchange.max(exchange, ordering: .relaxed)
        pipe.wake()
    }

    func isInterrupted(exchange: UInt64) -> Bool {
        interruptedExchange.load(ordering: .relaxed) == exchange
    }

    /// Drops the connection, even during a request. Any thread may call this.
    func abort() {
        isAborted.store(true, ordering: .relaxed)
        pipe.wake()
    }

    var wasAborted: Bool {
        isAborted.load(ordering: .relaxed)
    }

    /// Whether the caller runs on this thread.
    var isCurrent: Bool {
        state.withLock { state in
            state.identity.map { pthread_equal($0, pthread_self()) != 0 } ?? false
        }
    }

    private func run() {
        state.withLock { $0.identity = pthread_self() }
        while true {
            let (jobs, isFinished) = takeJobs()
            for job in jobs {
                unsafe job.runSynchronously(on: asUnownedSerialExecutor())
            }
            if isFinished { return }
            if jobs.isEmpty { sleep() }
        }
    }

    private func takeJobs() -> ([UnownedJob], Bool) {
        state.withLock { state in
            let jobs = state.jobs
            state.jobs.removeAll(keepingCapacity: true)
            state.isAsleep = jobs.isEmpty
            return (jobs, jobs.isEmpty && state.isStopping)
        }
    }

    private func sleep() {
        let watch = state.withLock { $0.watch }
        let isReady = SocketPoll.wait(socket: watch?.socket, for: .reading, pipe: pipe, milliseconds: nil)
        if isReady, let watch {
            state.withLock { $0.watch = nil }
            watch.readable()
        }
    }
}
