import SaunterCore
import SaunterStore
import Synchronization

/// Makes dry runs on one thread outside the pool that serves requests. An account can have one run at a time.
final class DryRunQueue: Sendable {
    /// The maximum number of runs that wait or are being made.
    static let maximumRuns = 8

    private let background = BackgroundExecutor(label: "saunter.dry-runs")
    private let accounts = Mutex<Set<AccountID>>([])

    /// Makes a run. It is cancelled with the task.
    /// - Throws: `too-many-requests` if the account has a run, `busy` if there are too many, and errors of `work`.
    func run<Value: Sendable>(
        for account: AccountID, _ work: @Sendable () async throws -> Value
    ) async throws -> Value {
        try add(account)
        defer { accounts.withLock { _ = $0.remove(account) } }
        return try await withTaskExecutorPreference(background) { try await work() }
    }

    private func add(_ account: AccountID) throws(Problem) {
        let (isFirst, hasRoom) = accounts.withLock { accounts in
            guard !accounts.contains(account) else { return (false, true) }
            guard accounts.count < Self.maximumRuns else { return (true, false) }
            accounts.insert(account)
            return (true, true)
        }
        guard isFirst else {
            throw Problem(
                .tooManyRequests, "A dry run of this account is being made. Wait until it is complete.",
                retryAfter: 5)
        }
        guard hasRoom else {
            throw Problem(.busy, "Too many dry runs are being made.", retryAfter: 5)
        }
    }
}
