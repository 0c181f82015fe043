import Logging

/// The PostgreSQL that Saunter makes and runs by itself under its data directory.
///
/// One server at a time uses it (`start`); commands join it (`join`). It is made when it is missing,
/// recovers from any kill, is restarted when it dies under a server, and is stopped by the last one who
/// used it. A value serves one use: start or join it once, then stop it.
package actor PrivateCluster {
    private let directory: ClusterDirectory
    private let environment: [String: String]
    private let isLasting: Bool
    private let logger: Logger

    private var serverLock: ClusterLock?
    private var usersLock: ClusterLock?
    private var address: ClusterAddress?
    private var postmaster: Postmaster?
    private var supervision: Task<Void, Never>?
    private var isStopping = false

    /// How long to wait for another command that is starting or stopping the cluster.
    private let patience = Duration.seconds(120)

    /// `directory` is Saunter's data directory; it is made by `start` or `join`. `environment` may name the
    /// programs (`SAUNTER_POSTGRES_BIN`, `PATH`). What is not lasting is lost in a power cut, and written
    /// several times faster.
    package init(
        directory: String, logger: Logger,
        environment: [String: String] = PostgresBinaries.currentEnvironment(), isLasting: Bool = true
    ) throws(ClusterFault) {
        self.directory = try ClusterDirectory(directory)
        self.logger = logger
        self.environment = environment
        self.isLasting = isLasting
    }

    /// For the server: starts the cluster, or adopts one that a killed server left running, and keeps it
    /// running until `stop`. Returns a connection string for libpq (key=value form).
    ///
    /// Refuses when another server uses the data directory.
    package func start() async throws(ClusterFault) -> String {
        try directory.prepare()
        let account = try await directory.account()
        guard let lock = try ClusterLock(directory.path(of: .server), .exclusive, for: account) else {
            throw .alreadyServed(directory: directory.base)
        }
        let connectionString = try await enter(account)
        serverLock = consume lock
        supervision = Task { await self.supervise() }
        return connectionString
    }

    /// For a command: uses the cluster that the server of this data directory runs, or starts it when none
    /// runs. Returns a connection string for libpq (key=value form); `stop` ends the use.
    package func join() async throws(ClusterFault) -> String {
        try directory.prepare()
        return try await enter(try await directory.account())
    }

    /// Ends the use. The last one who used the cluster stops it (fast shutdown) and returns once it has
    /// ended; as long as others use it, it goes on for them.
    package func stop() async {
        guard usersLock != nil, !isStopping else { return }
        isStopping = true
        // Ends a pause before the next try; a restart that is under way holds the lock that `leave` waits
        // for.
        supervision?.cancel()
        // In a task of its own: a cancelled caller still stops in order.
        await Task { await self.leave() }.value
    }

    private func enter(_ account: ClusterAccount) async throws(ClusterFault) -> String {
        precondition(usersLock == nil && !isStopping, "a private cluster value is started or joined once")
        let change = try await changeLock(account)
        guard let users = try ClusterLock(directory.path(of: .users), .shared, for: account) else {
            throw .busy(directory: directory.base)
        }
        let found = try await ClusterLaunch(
            directory: directory, environment: environment, logger: logger, isLasting: isLasting
        )
        .run()
        do {
            let reached = try ClusterAddress(of: directory)
            let connectionString = reached.connectionString
            postmaster = found
            usersLock = consume users
            address = consume reached
            _ = consume change
            return connectionString
        } catch {
            await found.stop()
            throw error
        }
    }

    private func leave() async {
        do {
            let account = try await directory.account()
            let change = try await changeLock(account)
            usersLock = nil
            if let alone = try ClusterLock(directory.path(of: .users), .exclusive, for: account) {
                await stopPostmaster(account)
                try await waitUntilSilent(account)
                _ = consume alone
            } else {
                logger.notice("PostgreSQL goes on for other commands; the last of them stops it")
            }
            _ = consume change
        } catch {
            logger.error("PostgreSQL could not be stopped in order", metadata: ["fault": "\(error)"])
            usersLock = nil
        }
        postmaster = nil
        serverLock = nil
        address = nil
    }

    private func stopPostmaster(_ account: ClusterAccount) async {
        // Another may have started it anew since it was joined.
        if let postmaster, !postmaster.isOver { return await postmaster.stop() }
        do {
            let processes = try ClusterLaunch.processes(of: directory, account: account)
            if let pid = processes.postmaster() { await Postmaster.adopt(pid, of: processes).stop() }
        } catch {
            logger.error("PostgreSQL's processes cannot be found", metadata: ["fault": "\(error)"])
        }
    }

    /// Waits for the last of PostgreSQL's processes, which is its log's: after that nobody writes here any
    /// more.
    private func waitUntilSilent(_ account: ClusterAccount) async throws(ClusterFault) {
        let deadline = ContinuousClock.now + .seconds(10)
        while try ClusterLock(directory.path(of: .alive), .exclusive, for: account) == nil {
            guard ContinuousClock.now < deadline else {
                throw .stopFailed(directory: directory.data)
            }
            await pause(.milliseconds(5))
        }
    }

    /// Restarts a postmaster that died, sooner at first and then ever less often.
    private func supervise() async {
        var delay = Duration.milliseconds(100)
        while !isStopping, let watched = postmaster {
            let since = ContinuousClock.now
            await watched.ended.value
            guard !isStopping else { return }
            // It did not die of how it started, then.
            if ContinuousClock.now - since > .seconds(10) { delay = .milliseconds(100) }
            logger.error(
                "PostgreSQL ended by itself", metadata: ["reason": "\(watched.report.ending ?? "unknown")"])
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
                directory: directory, environment: environment, logger: logger, isLasting: isLasting
            ).run()
            _ = consume change
            logger.notice("PostgreSQL runs again")
            return true
        } catch {
            logger.error("PostgreSQL could not be restarted", metadata: ["fault": "\(error)"])
            return false
        }
    }

    private func changeLock(_ account: ClusterAccount) async throws(ClusterFault) -> ClusterLock {
        let deadline = ContinuousClock.now + patience
        while true {
            if let lock = try ClusterLock(directory.path(of: .change), .exclusive, for: account) {
                return lock
            }
            guard ContinuousClock.now < deadline else { throw .busy(directory: directory.base) }
            await pause(.milliseconds(20))
        }
    }
}
