import Foundation
import Synchronization

/// Too many passwords wait to be hashed. The client can retry after a short time.
package struct PasswordHasherBusy: Error, Hashable {
    /// Creates the error; it has no members.
    package init() {}
}

/// Hashes passwords on a few separate threads. A hash occupies a core for about 50 ms. On the threads that serve
/// requests, many simultaneous logins would block everything else. The queue of waiting passwords is bounded.
package final class PasswordHasher: Sendable {
    private typealias Job = @Sendable () -> Void

    private struct State {
        var waiting: [Job] = []
        var first = 0
        var running = 0
        var done = 0

        var count: Int { waiting.count - first }

        mutating func next() -> Job? {
            guard first < waiting.count else { return nil }
            defer { first += 1 }
            let job = waiting[first]
            if first > 64 {
                waiting.removeFirst(first)
                first = 0
            }
            return job
        }
    }

    private let threads: Int
    private let maximumWaiting: Int
    private let state = Mutex(State())
    /// The hash of a random password. It is used for unknown addresses, so that they take the same time as a wrong
    /// password.
    let decoy: PasswordHash

    /// - Parameters:
    ///   - threads: number of hashes computed at the same time; each needs a core and 19 MiB.
    ///   - maximumWaiting: with more waiting passwords, callers get `PasswordHasherBusy`.
    package init(threads: Int = 2, maximumWaiting: Int = 64) throws {
        self.threads = max(1, threads)
        self.maximumWaiting = max(0, maximumWaiting)
        decoy = try PasswordHash.make(RandomToken.make().text)
    }

    /// Hashes a new password.
    /// - Throws: `PasswordHasherBusy` or `PasswordHashFault`.
    package func hash(_ password: String) async throws -> PasswordHash {
        try await run { try PasswordHash.make(password) }
    }

    /// Whether the password matches the stored hash. If there is no stored hash, or the account has no password yet,
    /// the function does the same work and returns false.
    /// - Throws: `PasswordHasherBusy`.
    package func verify(_ password: String, against stored: PasswordHash?) async throws -> Bool {
        let hash = stored == PasswordHash.none ? nil : stored
        let matches = try await run { [decoy] in (hash ?? decoy).matches(password) }
        return matches && hash != nil
    }

    /// Number of passwords that wait for a thread.
    package var waiting: Int { state.withLock { $0.count } }

    /// Number of hashes computed and compared since the start.
    package var done: Int { state.withLock { $0.done } }

    private func run<Value: Sendable>(_ work: @Sendable @escaping () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            let job: Job = { [self] in
                let result = Result { try work() }
                state.withLock { $0.done += 1 }
                continuation.resume(with: result)
            }
            switch enqueue(job) {
            case .rejected: continuation.resume(throwing: PasswordHasherBusy())
            case .queued: break
            case .needsThread: startThread(with: job)
            }
        }
    }

    private enum EnqueueResult {
        case rejected, queued, needsThread
    }

    private func enqueue(_ job: @escaping Job) -> EnqueueResult {
        state.withLock { state in
            if state.running < threads {
                state.running += 1
                return .needsThread
            }
            guard state.count < maximumWaiting else { return .rejected }
            state.waiting.append(job)
            return .queued
        }
    }

    /// The thread ends when no job waits.
    private func startThread(with first: @escaping Job) {
        let thread = Thread { [self] in
            first()
            while let job = nextJob() { job() }
        }
        thread.name = "password-hash"
        thread.stackSize = 512 * 1024
        thread.start()
    }

    private func nextJob() -> Job? {
        state.withLock { state in
            if let job = state.next() { return job }
            state.running -= 1
            return nil
        }
    }
}
