import Foundation
import Logging
import Postgres
import PrivateCluster

/// A PostgreSQL of one command's own in a temporary folder, thrown away afterwards.
struct ScratchCluster {
    let settings: Settings
    let logger: Logger

    /// Runs the body with an empty database that takes connections, and the folder, which only its owner reads.
    func run<Result>(_ body: (_ url: ConnectionString, _ folder: URL) async throws -> Result) async throws
        -> Result
    {
        let scratch = try ScratchFolder()
        let use: ScratchUse
        do {
            var environment = PostgresBinaries.currentEnvironment()
            if let programs = settings.postgresBin {
                environment[Setting.postgresBin.variable] = programs
            }
            use = ScratchUse(
                scratch,
                try PrivateCluster(
                    directory: scratch.url.path, logger: logger, environment: environment, isLasting: false))
        } catch {
            scratch.remove()
            throw error
        }
        let signals = EndingSignals(
            stop: { await use.end(forSignal: true) }, force: { ScratchFolder.end(scratch.url) })
        defer { signals.cancel() }
        do {
            let result = try await body(try await use.start(), scratch.url)
            await use.end()
            return result
        } catch {
            await use.end()
            throw error
        }
    }
}

/// One command's use of its own database, which ends once: with the work or on a signal, whichever is first.
private actor ScratchUse {
    private let scratch: ScratchFolder
    private let cluster: PrivateCluster
    private var starting: Task<String, any Error>?
    private var ending: Task<Void, Never>?
    private var isSignalled = false

    init(_ scratch: ScratchFolder, _ cluster: PrivateCluster) {
        self.scratch = scratch
        self.cluster = cluster
    }

    func start() async throws -> ConnectionString {
        guard ending == nil else { throw CancellationError() }
        let starting = Task { [cluster] in try await cluster.start() }
        self.starting = starting
        return try ConnectionString(try await starting.value)
    }

    /// Stops the database, once it has started if it is about to, and removes its folder. After a signal it returns for the signal alone: the work, which has
    /// lost its database, must not tell of that, nor end the command with a status of its own.
    func end(forSignal: Bool = false) async {
        if forSignal { isSignalled = true }
        let task =
            ending
            ?? Task { [scratch, cluster, starting] in
                _ = await starting?.result
                await cluster.stop()
                scratch.remove()
            }
        ending = task
        await task.value
        while isSignalled, !forSignal { try? await Task.sleep(for: .seconds(3600)) }
    }
}
