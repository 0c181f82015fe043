import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The thread on which one connection lives, and the executor of its actor.
///
/// Work on the connection may block here, in `poll`, because nothing else runs here: no thread of the
/// cooperative pool ever waits for the database. Between jobs the thread sleeps in `poll` too, and then also
/// watches the socket, so that the death of an idle connection and notifications are seen at once.
final class ConnectionThread: SerialExecutor {
    private struct State {
        var jobs: [UnownedJob] = []
        var isAsleep = false
        var isStopping = false
        var watch: Watch?
        var identity: pthread_t?
    }

    /// A socket to look at while nothing else is to do. It fires once.
    private struct Watch {
        let socket: Int32
        let readable: @Sendable () -> Void
    }

    let pipe: WakePipe
    private let state = Mutex(State())
    /// The latest exchange that was interrupted; exchanges are numbered upwards from 1.
    private let interruptedExchange = Atomic<UInt64>(0)
    private let runningExchange = Atomic<UInt64>(0)
    private let isAborted = Atomic(false)

    private init(pipe: WakePipe) {
        self.pipe = pipe
    }

    /// Nil when the system has no thread or file descriptor left. The thread lives until `stop`.
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

    /// Lets the thread end once it has nothing to do. To be called when no job can follow.
    func stop() {
        state.withLock { $0.isStopping = true }
        pipe.wake()
    }

    /// Has the socket watched while the thread is idle; `readable` is called once, and then the watch is
    /// over.
    func watch(_ socket: Int32, readable: @escaping @Sendable () -> Void) {
        state.withLock { $0.watch = Watch(socket: socket, readable: readable) }
    }

    func stopWatching() {
        state.withLock { $0.watch = nil }
    }

    /// Says which exchange runs from now on.
    func began(exchange: UInt64) {
        runningExchange.store(exchange, ordering: .relaxed)
    }

    /// Asks whatever exchange runs now to stop. Callable from anywhere.
    func interruptRunning() {
        interrupt(exchange: runningExchange.load(ordering: .relaxed))
    }

    /// Asks the exchange, if it still runs, to stop. Callable from anywhere.
    func interrupt(exchange: UInt64) {
        interruptedExchange.max(exchange, ordering: .relaxed)
        pipe.wake()
    }

    func isInterrupted(exchange: UInt64) -> Bool {
        interruptedExchange.load(ordering: .relaxed) == exchange
    }

    /// Has the connection dropped, whatever it is doing. Callable from anywhere.
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
            let (jobs, isOver) = takeJobs()
            for job in jobs {
                unsafe job.runSynchronously(on: asUnownedSerialExecutor())
            }
            if isOver { return }
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
        let seen = SocketPoll.wait(socket: watch?.socket, for: .reading, pipe: pipe, milliseconds: nil)
        if seen.isReady, let watch {
            state.withLock { $0.watch = nil }
            watch.readable()
        }
    }
}
