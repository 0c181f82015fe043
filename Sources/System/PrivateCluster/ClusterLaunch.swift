import Glibc
import Logging

/// Starts the cluster from any state in which the last run left it, and waits until it accepts connections.
///
/// The caller holds the lock `change`, so that no other process creates, starts or stops the cluster at the same time.
struct ClusterLaunch {
    let directory: ClusterDirectory
    let environment: [String: String]
    let logger: Logger
    /// Whether the data must survive a power cut.
    var isDurable = true
    /// The timeout for the end of processes of a dead postmaster.
    var orphanTimeout: Duration = .seconds(30)
    /// The timeout until PostgreSQL is ready. It is long because PostgreSQL recovers after a crash.
    var startTimeout: Duration = .seconds(900)

    func run() async throws(ClusterFault) -> Postmaster {
        let account = try await directory.account()
        let binaries = try await usableBinaries()
        if try directory.version() == nil {
            try await ClusterCreation(
                directory: directory, binaries: binaries, account: account, logger: logger
            ).run()
        }
        let processes = try Self.processes(of: directory, account: account)
        let deadline = ContinuousClock.now + orphanTimeout
        var attempt = 0
        while true {
            if let alive = try ClusterLock(directory.path(of: .alive), .exclusive, for: account) {
                if isDurable {
                    try await evictCachedFiles(binaries)
                    try SmallFile.write(
                        ClusterSizes.current(for: directory.data).text,
                        to: "\(directory.data)/\(ClusterSizes.fileName)", owner: account)
                }
                removeStaleFiles()
                let program = server(binaries, account, processes.clusterName)
                let postmaster = try await Postmaster.launch(
                    program, alive: alive.takeDescriptor(), outputPath: directory.startupOutput)
                if try await waitUntilReady(postmaster, processes) { return postmaster }
                throw startFault(postmaster)
            }
            if let pid = processes.postmaster() {
                logger.notice("using a PostgreSQL that still runs", metadata: ["pid": "\(pid)"])
                let postmaster = Postmaster.attach(to: pid, of: processes)
                if try await waitUntilReady(postmaster, processes) { return postmaster }
            } else {
                guard ContinuousClock.now < deadline else { throw orphanFault(processes) }
                endOrphans(processes, attempt: attempt)
                attempt += 1
                await pause(.milliseconds(50))
            }
        }
    }

    /// The processes of an existing cluster.
    static func processes(
        of directory: ClusterDirectory, account: ClusterAccount
    ) throws(ClusterFault) -> ClusterProcesses {
        ClusterProcesses(
            clusterName: try directory.clusterName(), account: account,
            pidFilePath: "\(directory.data)/postmaster.pid")
    }

    /// The programs of the version that the data requires, or the newest programs if there is no data yet.
    private func usableBinaries() async throws(ClusterFault) -> PostgresBinaries {
        let data = try directory.version()
        let found = try await PostgresBinaries.find(environment: environment)
        guard let chosen = PostgresBinaries.choose(from: found, data: data) else {
            throw .binariesMissing(searched: ["PATH"])
        }
        guard let data, data != chosen.major else { return chosen }
        var matching: String?
        if environment["SAUNTER_POSTGRES_BIN"] != nil {
            // The operator chose the programs. The error names matching programs instead of overriding the choice.
            var defaultEnvironment = environment
            defaultEnvironment["SAUNTER_POSTGRES_BIN"] = nil
            do {
                let installed = try await PostgresBinaries.find(environment: defaultEnvironment)
                matching = installed.first { $0.major == data }?.directory
            } catch {
                logger.debug("no other PostgreSQL was found", metadata: ["fault": "\(error)"])
            }
        }
        throw .wrongVersion(
            directory: directory.data, data: data, binaries: chosen.major, matching: matching)
    }

    private func server(_ binaries: PostgresBinaries, _ account: ClusterAccount, _ name: String) -> Program {
        var program = binaries.program(
            "postgres", ClusterSettings.arguments(clusterName: name, isDurable: isDurable))
        program.dataDirectory = directory.data
        program.account = account
        return program
    }

    /// See `CachedFiles`. A cluster that is not durable does not need this.
    private func evictCachedFiles(_ binaries: PostgresBinaries) async throws(ClusterFault) {
        var program = binaries.program("pg_controldata", [])
        program.dataDirectory = directory.data
        guard CachedFiles.needsRecovery(controlData: try await program.runOrThrow()) else { return }
        let count = try CachedFiles(data: directory.data).evict()
        if count > 0 {
            logger.error(
                "the disk did not accept all writes; PostgreSQL recovers from the content of the disk",
                metadata: ["files": "\(count)"])
        }
    }

    /// Removes the files of a dead postmaster. If another process has its process id now, PostgreSQL would treat the
    /// postmaster as alive. The lock `alive` proves that no process of PostgreSQL exists.
    private func removeStaleFiles() {
        for name in ["postmaster.pid", "\(ClusterDirectory.socketName).lock", ClusterDirectory.socketName] {
            if unlink("\(directory.data)/\(name)") == 0 {
                logger.notice(
                    "PostgreSQL was not shut down cleanly; it recovers", metadata: ["file": "\(name)"])
            }
        }
    }

    /// Ends sessions whose postmaster has died. Most sessions exit by themselves, but a busy session may not notice it.
    ///
    /// The caller calls this function every 50 ms. It sends signals once a second: SIGQUIT at first, SIGKILL after 5 s.
    private func endOrphans(_ processes: ClusterProcesses, attempt: Int) {
        guard attempt % 20 == 0 else { return }
        let orphans = processes.all()
        guard !orphans.isEmpty else { return }
        logger.notice("ending processes of a dead PostgreSQL", metadata: ["processes": "\(orphans.count)"])
        for pid in orphans { kill(pid, attempt < 100 ? SIGQUIT : SIGKILL) }
    }

    /// Waits until the postmaster accepts connections. Returns false if it exits instead.
    private func waitUntilReady(
        _ postmaster: Postmaster, _ processes: ClusterProcesses
    ) async throws(ClusterFault) -> Bool {
        let start = ContinuousClock.now
        var lastLogged = start
        while !postmaster.hasExited {
            if processes.readPIDFile() == .init(pid: postmaster.pid, isReady: true) { return true }
            let now = ContinuousClock.now
            if now - lastLogged > .seconds(10) {
                lastLogged = now
                logger.notice(
                    "PostgreSQL is not ready yet",
                    metadata: ["waited": "\((now - start).components.seconds) s"])
            }
            guard now - start < startTimeout else {
                await postmaster.stop()
                throw .startFailed(
                    directory: directory.data, reason: "it did not become ready", output: logTail())
            }
            await pause(.milliseconds(10))
        }
        return false
    }

    private func startFault(_ postmaster: Postmaster) -> ClusterFault {
        // PostgreSQL writes errors to standard error until it writes to its log.
        let startupOutput = SmallFile.tail(directory.startupOutput, limit: 2048) ?? ""
        return .startFailed(
            directory: directory.data, reason: postmaster.status.exitReason ?? "unknown",
            output: startupOutput.isEmpty || startupOutput.contains("logging collector")
                ? logTail() : startupOutput)
    }

    private func orphanFault(_ processes: ClusterProcesses) -> ClusterFault {
        let seen = processes.all()
        return .startFailed(
            directory: directory.data,
            reason: seen.isEmpty
                ? "a PostgreSQL that is not visible to this process (another container?) still uses it"
                : "processes of an earlier run still exist: \(seen.map(String.init).joined(separator: ", "))",
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
