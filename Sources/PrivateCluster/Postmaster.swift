import Glibc
import Subprocess

/// A running postmaster: started by this process, or found running and adopted.
struct Postmaster: Sendable {
    let pid: Int32
    let report: PostmasterReport
    /// Completes when the process is gone.
    let ended: Task<Void, Never>

    /// Starts one. `alive` is the descriptor of a held lock; it becomes the standard input of PostgreSQL,
    /// so that the lock stays held while any process of the cluster lives, and is closed here. What it says
    /// before its log takes over goes to the file `words`; a pipe would be held open by children that
    /// outlive it.
    static func launch(
        _ program: Program, alive: Int32, words: String
    ) async throws(ClusterFault) -> Postmaster {
        let report = PostmasterReport()
        let output = open(words, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard output >= 0 else {
            let reason = SystemFault.text(errno)
            close(alive)
            throw .directoryUnusable(path: words, reason: reason)
        }
        let (pids, started) = AsyncStream<Int32>.makeStream()
        let ended = Task<Void, Never> {
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
                report.end("\(result.terminationStatus)")
            } catch {
                report.end("\(error)")
            }
        }
        // In a task of its own: a cancelled caller must not lose sight of a process that has started.
        let first = Task<Int32?, Never> {
            for await pid in pids { return pid }
            return nil
        }
        if let pid = await first.value { return Postmaster(pid: pid, report: report, ended: ended) }
        await ended.value
        throw .programFailed(program: program.name, reason: report.ending ?? "not started", output: "")
    }

    /// Takes over one that another process started. It is no child, so its end is seen by looking.
    static func adopt(_ pid: Int32, of processes: ClusterProcesses) -> Postmaster {
        let report = PostmasterReport()
        let ended = Task<Void, Never> {
            while processes.belongs(pid) || processes.isEnding(pid) { await pause(.milliseconds(100)) }
            report.end("gone")
        }
        return Postmaster(pid: pid, report: report, ended: ended)
    }

    /// Whether the process is gone.
    var isOver: Bool { report.ending != nil }

    /// Waits at most that long for the end; false when it still lives.
    func waitForEnd(atMost limit: Duration) async -> Bool {
        let deadline = ContinuousClock.now + limit
        while !isOver {
            guard ContinuousClock.now < deadline else { return false }
            await pause(.milliseconds(10))
        }
        return true
    }

    /// Stops it: fast shutdown, and harder ways when that takes too long. What was committed survives each.
    func stop(patience: Duration = .seconds(60)) async {
        // Fast: sessions are cut off, then a checkpoint. Immediate: no checkpoint, the next start recovers.
        for (signal, limit) in [(SIGINT, patience), (SIGQUIT, .seconds(10)), (SIGKILL, .seconds(10))] {
            guard !isOver else { return }
            kill(pid, signal)
            if await waitForEnd(atMost: limit) { return }
        }
    }

    /// A descriptor in the type that Subprocess wants, whose module this target has no other need to import.
    private static func wrap<Wrapper: RawRepresentable>(_ descriptor: Int32) -> Wrapper
    where Wrapper.RawValue == Int32 {
        guard let wrapper = Wrapper(rawValue: descriptor) else {
            preconditionFailure("a file descriptor can be made of any number")
        }
        return wrapper
    }
}
