import Glibc
import Logging

/// Brings the cluster to where it takes connections, whatever state it was left in.
///
/// Whoever runs this holds the lock `change`, so nobody else makes, starts or stops the cluster meanwhile.
struct ClusterLaunch {
    let directory: ClusterDirectory
    let environment: [String: String]
    let logger: Logger
    /// See `ClusterSettings.arguments`.
    var isLasting = true
    /// How long remains of a dead postmaster may take to disappear.
    var patience: Duration = .seconds(30)
    /// How long PostgreSQL may take until it is ready; long, because it recovers after a crash.
    var recovery: Duration = .seconds(900)

    func run() async throws(ClusterFault) -> Postmaster {
        let account = try await directory.account()
        let binaries = try await usableBinaries()
        if try directory.version() == nil {
            try await ClusterMaking(
                directory: directory, binaries: binaries, account: account, logger: logger
            ).run()
        }
        let processes = try Self.processes(of: directory, account: account)
        let deadline = ContinuousClock.now + patience
        var round = 0
        while true {
            if let alive = try ClusterLock(directory.path(of: .alive), .exclusive, for: account) {
                if isLasting { try await forgetCached(binaries) }
                removeRemains()
                let program = server(binaries, account, processes.clusterName)
                let postmaster = try await Postmaster.launch(
                    program, alive: alive.surrender(), words: directory.words)
                if try await waitUntilReady(postmaster, processes) { return postmaster }
                throw startFault(postmaster)
            }
            if let pid = processes.postmaster() {
                logger.notice("adopting a PostgreSQL that still runs", metadata: ["pid": "\(pid)"])
                let postmaster = Postmaster.adopt(pid, of: processes)
                if try await waitUntilReady(postmaster, processes) { return postmaster }
            } else {
                guard ContinuousClock.now < deadline else { throw remainsFault(processes) }
                clearOrphans(processes, round: round)
                round += 1
                await pause(.milliseconds(50))
            }
        }
    }

    /// The processes of a cluster that exists.
    static func processes(
        of directory: ClusterDirectory, account: ClusterAccount
    ) throws(ClusterFault) -> ClusterProcesses {
        ClusterProcesses(
            clusterName: try directory.clusterName(), account: account,
            pidFile: "\(directory.data)/postmaster.pid")
    }

    /// Programs of the version that the data need; the newest when there are no data yet.
    private func usableBinaries() async throws(ClusterFault) -> PostgresBinaries {
        let data = try directory.version()
        let found = try await PostgresBinaries.find(environment: environment)
        guard let chosen = PostgresBinaries.choose(from: found, data: data) else {
            throw .binariesMissing(looked: ["PATH"])
        }
        guard let data, data != chosen.major else { return chosen }
        var elsewhere: String?
        if environment["SAUNTER_POSTGRES_BIN"] != nil {
            // Somebody chose the programs; tell where the right ones are rather than overrule.
            var unchosen = environment
            unchosen["SAUNTER_POSTGRES_BIN"] = nil
            do {
                elsewhere = try await PostgresBinaries.find(environment: unchosen).first { $0.major == data }?
                    .directory
            } catch {
                logger.debug("no other PostgreSQL was found", metadata: ["fault": "\(error)"])
            }
        }
        throw .wrongVersion(
            directory: directory.data, data: data, binaries: chosen.major, elsewhere: elsewhere)
    }

    private func server(_ binaries: PostgresBinaries, _ account: ClusterAccount, _ name: String) -> Program {
        var program = binaries.program(
            "postgres", ClusterSettings.arguments(clusterName: name, isLasting: isLasting))
        program.dataDirectory = directory.data
        program.account = account
        return program
    }

    /// See `CachedFiles`. What is lost in a power cut anyway needs none of it.
    private func forgetCached(_ binaries: PostgresBinaries) async throws(ClusterFault) {
        var program = binaries.program("pg_controldata", [])
        program.dataDirectory = directory.data
        guard CachedFiles.isRecovering(control: try await program.succeed()) else { return }
        let count = try CachedFiles(data: directory.data).forget()
        if count > 0 {
            logger.error(
                "the disk did not take everything; what it has counts", metadata: ["files": "\(count)"])
        }
    }

    /// Files by which a postmaster that is gone could be taken for alive, when another process has its number
    /// by now. The lock `alive` proves that none is left.
    private func removeRemains() {
        for name in ["postmaster.pid", "\(ClusterDirectory.socketName).lock", ClusterDirectory.socketName] {
            if unlink("\(directory.data)/\(name)") == 0 {
                logger.notice(
                    "PostgreSQL was not stopped in order; it recovers", metadata: ["left": "\(name)"])
            }
        }
    }

    /// Ends sessions that outlived their postmaster: mostly they notice themselves, a busy one may not.
    private func clearOrphans(_ processes: ClusterProcesses, round: Int) {
        guard round % 20 == 0 else { return }
        let orphans = processes.all()
        guard !orphans.isEmpty else { return }
        logger.notice("ending what a dead PostgreSQL left", metadata: ["processes": "\(orphans.count)"])
        for pid in orphans { kill(pid, round < 100 ? SIGQUIT : SIGKILL) }
    }

    /// Waits until the postmaster takes connections; false when it ended instead.
    private func waitUntilReady(
        _ postmaster: Postmaster, _ processes: ClusterProcesses
    ) async throws(ClusterFault) -> Bool {
        let start = ContinuousClock.now
        var told = start
        while !postmaster.isOver {
            if processes.record() == .init(pid: postmaster.pid, isReady: true) { return true }
            let now = ContinuousClock.now
            if now - told > .seconds(10) {
                told = now
                logger.notice(
                    "PostgreSQL is not ready yet",
                    metadata: ["waited": "\((now - start).components.seconds) s"])
            }
            guard now - start < recovery else {
                await postmaster.stop()
                throw .startFailed(
                    directory: directory.data, reason: "it did not become ready", output: logTail())
            }
            await pause(.milliseconds(10))
        }
        return false
    }

    private func startFault(_ postmaster: Postmaster) -> ClusterFault {
        // It says what is wrong on standard error until its log takes over.
        let words = SmallFile.tail(directory.words, limit: 2048) ?? ""
        return .startFailed(
            directory: directory.data, reason: postmaster.report.ending ?? "unknown",
            output: words.isEmpty || words.contains("logging collector") ? logTail() : words)
    }

    private func remainsFault(_ processes: ClusterProcesses) -> ClusterFault {
        let seen = processes.all()
        return .startFailed(
            directory: directory.data,
            reason: seen.isEmpty
                ? "a PostgreSQL that cannot be seen from here (another container?) still uses it"
                : "processes of an earlier run do not end: \(seen.map(String.init).joined(separator: ", "))",
            output: "")
    }

    /// The end of the newest log file.
    private func logTail() -> String {
        let logs = "\(directory.data)/log"
        var newest: (path: String, time: Int)?
        for name in children(of: logs) where name.hasSuffix(".log") {
            var status = stat()
            guard lstat("\(logs)/\(name)", &status) == 0, status.st_mode & S_IFMT == S_IFREG else { continue }
            if status.st_mtim.tv_sec >= newest?.time ?? .min {
                newest = ("\(logs)/\(name)", status.st_mtim.tv_sec)
            }
        }
        return newest.flatMap { SmallFile.tail($0.path, limit: 1024) } ?? ""
    }
}
