import Glibc
import Subprocess

/// A running postmaster. This process started it, or attached to it because another process had started it.
struct Postmaster: Sendable {
    let pid: Int32
    let status: PostmasterStatus
    /// Completes when the process has ended.
    let exit: Task<Void, Never>

    /// Starts a postmaster.
    /// - Parameters:
    ///   - alive: the descriptor of a held lock. It becomes the standard input of PostgreSQL, so that the lock is held
    ///     while any process of the cluster exists. This process closes its copy.
    ///   - outputPath: the file for standard error until PostgreSQL writes to its log. A pipe does not work here,
    ///     because children that outlive the postmaster would keep it open.
    static func launch(
        _ program: Program, alive: Int32, outputPath: String
    ) async throws(ClusterFault) -> Postmaster {
        let status = PostmasterStatus()
        let output = open(outputPath, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard output >= 0 else {
            let reason = SystemFault.text(errno)
            close(alive)
            throw .directoryUnusable(path: outputPath, reason: reason)
        }
        let (pids, started) = AsyncStream<Int32>.makeStream()
        let exit = Task<Void, Never> {
            defer { started.finish() }
            do {
                let result = try await Subprocess.run(
                    program.configuration(),
                    input: .fileDescriptor(wrap(alive), closeAfterSpawningProcess: true),
                    output: .discarded,
                    error: .fileDescriptor(wrap(output), closeAfterSpawningProcess: true)
                ) { execution in
                    started.yield(execution.processIdentifier.value)
                }
                status.recordExit("\(result.terminationStatus)")
            } catch {
                status.recordExit("\(error)")
            }
        }
        // A separate task, because a cancelled caller must still get the id of a process that has started.
        let first = Task<Int32?, Never> {
            for await pid in pids { return pid }
            return nil
        }
        if let pid = await first.value { return Postmaster(pid: pid, status: status, exit: exit) }
        await exit.value
        throw .programFailed(program: program.name, reason: status.exitReason ?? "not started", output: "")
    }

    /// Attaches to a postmaster that another process started. It is not a child of this process, so its end is polled.
    static func attach(to pid: Int32, of processes: ClusterProcesses) -> Postmaster {
        let status = PostmasterStatus()
        let exit = Task<Void, Never> {
            while processes.belongs(pid) || processes.isEnding(pid) { await pause(.milliseconds(100)) }
            status.recordExit("the process no longer exists")
        }
        return Postmaster(pid: pid, status: status, exit: exit)
    }

    /// Whether the process has ended.
    var hasExited: Bool { status.exitReason != nil }

    /// Waits for the end of the process. Returns false if the process still runs after `limit`.
    func waitForExit(atMost limit: Duration) async -> Bool {
        let deadline = ContinuousClock.now + limit
        while !hasExited {
            guard ContinuousClock.now < deadline else { return false }
            await pause(.milliseconds(10))
        }
        return true
    }

    /// Stops PostgreSQL with a fast shutdown. After `timeout` it uses an immediate shutdown, and 10 seconds later
    /// SIGKILL. Committed data survives each of them.
    func stop(timeout: Duration = .seconds(60)) async {
        // SIGINT, fast shutdown: sessions are terminated, then PostgreSQL writes a checkpoint.
        // SIGQUIT, immediate shutdown: there is no checkpoint, and the next start recovers.
        for (signal, limit) in [(SIGINT, timeout), (SIGQUIT, .seconds(10)), (SIGKILL, .seconds(10))] {
            guard !hasExited else { return }
            kill(pid, signal)
            if await waitForExit(atMost: limit) { return }
        }
    }

    /// Converts a descriptor to the type that Subprocess requires. The type is inferred, so that this target does not
    /// import the module of that type.
    private static func wrap<Wrapper: RawRepresentable>(_ descriptor: Int32) -> Wrapper
    where Wrapper.RawValue == Int32 {
        guard let wrapper = Wrapper(rawValue: descriptor) else {
            preconditionFailure("every number can be wrapped as a file descriptor")
        }
        return wrapper
    }
}
