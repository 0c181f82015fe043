import Synchronization

/// Whether a postmaster lives, for whoever cannot wait for its end.
final class PostmasterReport: Sendable {
    private let fate = Mutex<String?>(nil)

    /// How it ended; nil while it lives.
    var ending: String? {
        fate.withLock { $0 }
    }

    func end(_ reason: String) {
        fate.withLock { $0 = $0 ?? reason }
    }
}

/// Waits; a cancelled task goes on at once.
func pause(_ duration: Duration) async {
    do {
        try await Task.sleep(for: duration)
    } catch {
        // Cancelled. Whoever waits here has a deadline or a condition of his own.
        await Task.yield()
    }
}
