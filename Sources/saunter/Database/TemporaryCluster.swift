import Foundation
import Logging
import Postgres
import PrivateCluster

/// A temporary PostgreSQL cluster for one command. It is deleted afterwards.
struct TemporaryCluster {
    let settings: Settings
    let logger: Logger

    /// Runs the body with an empty database that accepts connections, and with the folder of the cluster, which only
    /// its owner can read.
    func run<Result>(_ body: (_ url: ConnectionString, _ directory: URL) async throws -> Result) async throws
        -> Result
    {
        let folder = try TemporaryFolder()
        let use: TemporaryClusterUse
        do {
            use = TemporaryClusterUse(
                folder,
                try PrivateCluster(
                    directory: folder.url.path, logger: logger, environment: settings.postgresEnvironment,
                    isDurable: false))
        } catch {
            folder.remove()
            throw error
        }
        let signals = SignalCleanup(
            stop: { await use.end(forSignal: true) }, force: { TemporaryFolder.delete(folder.url) })
        defer { signals.cancel() }
        do {
            let result = try await body(try await use.start(), folder.url)
            await use.end()
            return result
        } catch {
            await use.end()
            throw error
        }
    }
}

/// One use of a temporary cluster. It ends once: when the work is done or on a signal, whichever is first.
private actor TemporaryClusterUse {
    private let folder: TemporaryFolder
    private let cluster: PrivateCluster
    private var starting: Task<String, any Error>?
    private var ending: Task<Void, Never>?
    private var isSignalled = false

    init(_ folder: TemporaryFolder, _ cluster: PrivateCluster) {
        self.folder = folder
        self.cluster = cluster
    }

    func start() async throws -> ConnectionString {
        guard ending == nil else { throw CancellationError() }
        let starting = Task { [cluster] in try await cluster.start() }
        self.starting = starting
        return try ConnectionString(try await starting.value)
    }

    /// Stops the database and removes its folder. If the database is starting, waits until it has started. After a
    /// signal this returns only to the signal handler: the work has lost its database, but it must not report that,
    /// and the exit status must be the signal's.
    func end(forSignal: Bool = false) async {
        if forSignal { isSignalled = true }
        let task =
            ending
            ?? Task { [folder, cluster, starting] in
                _ = await starting?.result
                await cluster.stop()
                folder.remove()
            }
        ending = task
        await task.value
        while isSignalled, !forSignal { try? await Task.sleep(for: .seconds(3600)) }
    }
}
