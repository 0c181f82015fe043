import Synchronization

/// The status of a postmaster. It can be read without `await`.
final class PostmasterStatus: Sendable {
    private let reason = Mutex<String?>(nil)

    /// The reason why the process ended. Nil while it runs.
    var exitReason: String? {
        reason.withLock { $0 }
    }

    /// Stores the reason of the exit. Only the first call has an effect.
    func recordExit(_ newReason: String) {
        reason.withLock { $0 = $0 ?? newReason }
    }
}
