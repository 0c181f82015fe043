import SaunterCore
import SaunterStore
import Synchronization

/// The one place for work that keeps a processor busy for seconds: checks, archives, differences and dry runs of study
/// packs. It runs on threads outside the pool that serves requests. A small number runs at once, others wait, and too
/// many are refused.
package final class HeavyWorkQueue: Sendable {
    /// The maximum amount of work that runs at once.
    static let maximumRunning = 2
    /// The maximum number of dry runs among it, so that a check does not wait for two of them.
    static let maximumRunningDryRuns = 1
    /// The maximum amount of work that waits.
    static let maximumWaiting = 64
    /// The maximum number of dry runs that wait or run. An account can have one.
    static let maximumDryRuns = 8

    private let background = BackgroundExecutor(label: "saunter.heavy-work", isConcurrent: true)
    private let state = Mutex(State())

    private struct Waiter {
        let id: Int
        let isDryRun: Bool
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var running = 0
        var runningDryRuns = 0
        var lastID = 0
        var waiting: [Waiter] = []
        /// The accounts with a dry run.
        var accounts: Set<AccountID> = []

        func admits(_ isDryRun: Bool) -> Bool {
            running < HeavyWorkQueue.maximumRunning
                && (!isDryRun || runningDryRuns < HeavyWorkQueue.maximumRunningDryRuns)
        }

        mutating func count(_ isDryRun: Bool, by change: Int) {
            running += change
            if isDryRun { runningDryRuns += change }
        }
    }

    /// Runs work when there is room for it. It is cancelled with the task, also while it waits. The work must not use
    /// the queue itself.
    /// - Throws: `busy` if too much work waits, and errors of `work`.
    func run<Value: Sendable>(_ work: @Sendable () async throws -> Value) async throws -> Value {
        try await run(isDryRun: false, work)
    }

    /// Makes a dry run for an account.
    /// - Throws: `too-many-requests` if the account has a run, `busy` if there are too many, and errors of `work`.
    func dryRun<Value: Sendable>(
        for account: AccountID, _ work: @Sendable () async throws -> Value
    ) async throws -> Value {
        try add(account)
        defer { state.withLock { _ = $0.accounts.remove(account) } }
        return try await run(isDryRun: true, work)
    }

    private func run<Value: Sendable>(
        isDryRun: Bool, _ work: @Sendable () async throws -> Value
    ) async throws -> Value {
        try await begin(isDryRun)
        defer { end(isDryRun) }
        return try await withTaskExecutorPreference(background) { try await work() }
    }

    private func add(_ account: AccountID) throws(Problem) {
        let (isFirst, hasRoom) = state.withLock { state in
            guard !state.accounts.contains(account) else { return (false, true) }
            guard state.accounts.count < Self.maximumDryRuns else { return (true, false) }
            state.accounts.insert(account)
            return (true, true)
        }
        guard isFirst else {
            throw Problem(
                .tooManyRequests, "A dry run of this account is being made. Wait until it is complete.",
                retryAfter: 5)
        }
        guard hasRoom else { throw Problem(.busy, "Too many dry runs are being made.", retryAfter: 5) }
    }

    /// Waits until there is room.
    private func begin(_ isDryRun: Bool) async throws {
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let outcome = state.withLock { state -> Result<Void, any Error>? in
                    if Task.isCancelled { return .failure(CancellationError()) }
                    if state.admits(isDryRun) {
                        state.count(isDryRun, by: 1)
                        return .success(())
                    }
                    guard state.waiting.count < Self.maximumWaiting else {
                        return .failure(
                            Problem(
                                .busy, "Too many checks, archives and differences are being made.",
                                retryAfter: 5))
                    }
                    state.waiting.append(
                        Waiter(id: id, isDryRun: isDryRun, continuation: continuation))
                    return nil
                }
                if let outcome { continuation.resume(with: outcome) }
            }
        } onCancel: {
            let waiter = state.withLock { state in
                state.waiting.firstIndex { $0.id == id }.map { state.waiting.remove(at: $0) }
            }
            waiter?.continuation.resume(throwing: CancellationError())
        }
    }

    /// Makes room for the first waiter that can run now.
    private func end(_ isDryRun: Bool) {
        let next = state.withLock { state -> Waiter? in
            state.count(isDryRun, by: -1)
            guard let index = state.waiting.firstIndex(where: { state.admits($0.isDryRun) }) else {
                return nil
            }
            let waiter = state.waiting.remove(at: index)
            state.count(waiter.isDryRun, by: 1)
            return waiter
        }
        next?.continuation.resume()
    }
}
