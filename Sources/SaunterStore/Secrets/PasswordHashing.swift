import Foundation
import Synchronization

/// More passwords wait to be hashed than is good for anybody: try again in a moment.
package struct PasswordHashingBusy: Error, Hashable {
    package init() {}
}

/// Hashes passwords on a few threads of its own. A hash keeps a core busy for some 50 ms: on the threads that serve requests, a wave of logins
/// would stop everything else. Those who wait form a queue with an end.
package final class PasswordHashing: Sendable {
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
    /// Of a password that nobody has: an unknown address costs the same time as a wrong password.
    let decoy: PasswordHash

    /// - Parameters:
    ///   - threads: hashes made at once; each takes a core and 19 MiB.
    ///   - maximumWaiting: beyond it, callers get `PasswordHashingBusy`.
    package init(threads: Int = 2, maximumWaiting: Int = 64) throws {
        self.threads = max(1, threads)
        self.maximumWaiting = max(0, maximumWaiting)
        decoy = try PasswordHash.make(RandomToken.make().text)
    }

    /// Hashes a new password.
    package func hash(_ password: String) async throws -> PasswordHash {
        try await run { try PasswordHash.make(password) }
    }

    /// Whether the password is the stored one's; false, after the same work, where there is none stored.
    package func verify(_ password: String, against stored: PasswordHash?) async throws -> Bool {
        let hash = stored ?? decoy
        let matches = try await run { hash.matches(password) }
        return matches && stored != nil
    }

    /// Hashes that wait for a thread now.
    package var waiting: Int { state.withLock { $0.count } }

    /// Hashes made and compared since the start.
    package var done: Int { state.withLock { $0.done } }

    private func run<Value: Sendable>(_ work: @Sendable @escaping () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            let job: Job = { [self] in
                let result = Result { try work() }
                state.withLock { $0.done += 1 }
                continuation.resume(with: result)
            }
            switch admit(job) {
            case .refused: continuation.resume(throwing: PasswordHashingBusy())
            case .queued: break
            case .needsThread: startThread(with: job)
            }
        }
    }

    private enum Admitted {
        case refused, queued, needsThread
    }

    private func admit(_ job: @escaping Job) -> Admitted {
        state.withLock { state in
            if state.running < threads {
                state.running += 1
                return .needsThread
            }
            guard state.count < maximumWaiting else { return .refused }
            state.waiting.append(job)
            return .queued
        }
    }

    /// The thread ends when nothing waits any more.
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
