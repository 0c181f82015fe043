import Logging

/// The PostgreSQL cluster that Saunter creates and runs in its data directory.
///
/// - Only one server at a time uses the cluster (`start`). Commands use it together with the server (`join`).
/// - The cluster is created if it does not exist. It recovers from a kill at any time.
/// - The server restarts the cluster if it dies. The last user stops it.
/// - A value is used once: `start` or `join`, then `stop`.
package actor PrivateCluster {
    private let directory: ClusterDirectory
    private let environment: [String: String]
    private let isDurable: Bool
    private let logger: Logger

    private var serverLock: ClusterLock?
    private var usersLock: ClusterLock?
    private var address: ClusterAddress?
    private var postmaster: Postmaster?
    private var supervision: Task<Void, Never>?
    private var isStopping = false

    /// Who uses the cluster.
    package enum User: Sendable {
        case server, command
    }

    /// The timeout for another command that starts or stops the cluster.
    private let changeTimeout = Duration.seconds(120)

    /// - Parameters:
    ///   - directory: Saunter's data directory. `start` and `join` create it.
    ///   - environment: can name the directories of the programs (`SAUNTER_POSTGRES_BIN`, `PATH`).
    ///   - isDurable: whether the data must survive a power cut. Writing is several times faster if it need not.
    package init(
        directory: String, logger: Logger,
        environment: [String: String] = PostgresBinaries.currentEnvironment(), isDurable: Bool = true
    ) throws(ClusterFault) {
        self.directory = try ClusterDirectory(directory)
        self.logger = logger
        self.environment = environment
        self.isDurable = isDurable
    }

    /// Starts or joins the cluster, runs the body with a connection string for libpq, and ends the use.
    package nonisolated func run<Result>(
        as user: User, _ body: (String) async throws -> Result
    ) async throws -> Result {
        let connectionString = user == .server ? try await start() : try await join()
        do {
            let result = try await body(connectionString)
            await stop()
            return result
        } catch {
            await stop()
            throw error
        }
    }

    /// Starts the cluster for the server, and restarts it if it dies, until `stop`. If a killed server left the cluster
    /// running, it is used as it is.
    /// - Returns: a connection string for libpq (key=value form).
    /// - Throws: `ClusterFault.alreadyInUse` if another server uses the data directory.
    package func start() async throws(ClusterFault) -> String {
        try directory.prepare()
        let account = try await directory.account()
        guard let lock = try ClusterLock(directory.path(of: .server), .exclusive, for: account) else {
            throw .alreadyInUse(directory: directory.base)
        }
        let connectionString = try await acquire(account)
        serverLock = consume lock
        supervision = Task { await self.supervise() }
        return connectionString
    }

    /// Uses the cluster for a command. If no cluster runs in this data directory, it is started. `stop` ends the use.
    /// - Returns: a connection string for libpq (key=value form).
    package func join() async throws(ClusterFault) -> String {
        try directory.prepare()
        return try await acquire(try await directory.account())
    }

    /// Ends the use. If no other process uses the cluster, it is stopped (fast shutdown), and the call returns when all
    /// its processes have ended. Otherwise the cluster keeps running.
    package func stop() async {
        guard usersLock != nil, !isStopping else { return }
        isStopping = true
        // This ends a pause before the next restart. A restart in progress holds the lock that `release` waits for.
        supervision?.cancel()
        // A separate task, because the shutdown must be clean even if the caller is cancelled.
        await Task { await self.release() }.value
    }

    private func acquire(_ account: ClusterAccount) async throws(ClusterFault) -> String {
        precondition(usersLock == nil && !isStopping, "a PrivateCluster value is started or joined only once")
        let change = try await changeLock(account)
        guard let users = try ClusterLock(directory.path(of: .users), .shared, for: account) else {
            throw .busy(directory: directory.base)
        }
        let launched = try await ClusterLaunch(
            directory: directory, environment: environment, logger: logger, isDurable: isDurable
        )
        .run()
        do {
            let newAddress = try ClusterAddress(of: directory)
            let connectionString = newAddress.connectionString
            postmaster = launched
            usersLock = consume users
            address = consume newAddress
            _ = consume change
            return connectionString
        } catch {
            await launched.stop()
            throw error
        }
    }

    private func release() async {
        do {
            let account = try await directory.account()
            let change = try await changeLock(account)
            usersLock = nil
            if let exclusive = try ClusterLock(directory.path(of: .users), .exclusive, for: account) {
                await stopPostmaster(account)
                try await waitForProcesses(account)
                _ = consume exclusive
            } else {
                logger.notice("PostgreSQL keeps running for other commands; the last of them stops it")
            }
            _ = consume change
        } catch {
            logger.error("PostgreSQL could not be stopped cleanly", metadata: ["fault": "\(error)"])
            usersLock = nil
        }
        postmaster = nil
        serverLock = nil
        address = nil
    }

    private func stopPostmaster(_ account: ClusterAccount) async {
        // If the known postmaster has exited, another process may have restarted PostgreSQL.
        if let postmaster, !postmaster.hasExited { return await postmaster.stop() }
        do {
            let processes = try ClusterLaunch.processes(of: directory, account: account)
            if let pid = processes.postmaster() { await Postmaster.attach(to: pid, of: processes).stop() }
        } catch {
            logger.error("PostgreSQL's processes cannot be found", metadata: ["fault": "\(error)"])
        }
    }

    /// Waits until all processes of PostgreSQL have ended. The last one is the logging collector. Afterwards no process
    /// writes to the data directory.
    private func waitForProcesses(_ account: ClusterAccount) async throws(ClusterFault) {
        let deadline = ContinuousClock.now + .seconds(10)
        while try ClusterLock(directory.path(of: .alive), .exclusive, for: account) == nil {
            guard ContinuousClock.now < deadline else {
                throw .stopFailed(directory: directory.data)
            }
            await pause(.milliseconds(5))
        }
    }

    /// Restarts a postmaster that died. The backoff doubles from 100 milliseconds to 30 seconds.
    private func supervise() async {
        var delay = Duration.milliseconds(100)
        while !isStopping, let watched = postmaster {
            let since = ContinuousClock.now
            await watched.exit.value
            guard !isStopping else { return }
            // After 10 seconds, the start itself is not the cause of the exit.
            if ContinuousClock.now - since > .seconds(10) { delay = .milliseconds(100) }
            logger.error(
                "PostgreSQL exited unexpectedly",
                metadata: ["reason": "\(watched.status.exitReason ?? "unknown")"])
            while !isStopping {
                await pause(delay)
                delay = min(delay * 2, .seconds(30))
                guard !isStopping else { return }
                if await restart() { break }
            }
        }
    }

    private func restart() async -> Bool {
        do {
            let account = try await directory.account()
            let change = try await changeLock(account)
            guard !isStopping else { return true }
            postmaster = try await ClusterLaunch(
                directory: directory, environment: environment, logger: logger, isDurable: isDurable
            ).run()
            _ = consume change
            logger.notice("PostgreSQL was restarted")
            return true
        } catch {
            logger.error("PostgreSQL could not be restarted", metadata: ["fault": "\(error)"])
            return false
        }
    }

    private func changeLock(_ account: ClusterAccount) async throws(ClusterFault) -> ClusterLock {
        let deadline = ContinuousClock.now + changeTimeout
        while true {
            if let lock = try ClusterLock(directory.path(of: .change), .exclusive, for: account) {
                return lock
            }
            guard ContinuousClock.now < deadline else { throw .busy(directory: directory.base) }
            await pause(.milliseconds(20))
        }
    }
}
