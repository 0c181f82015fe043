import Synchronization

/// What is known of a postmaster from outside: what it said before its log took over, and how it ended.
final class PostmasterReport: Sendable {
    private static let limit = 4096
    private let said = Mutex<[UInt8]>([])
    private let fate = Mutex<String?>(nil)

    /// The last few thousand bytes of its standard error.
    var words: String {
        said.withLock { String(decoding: $0, as: UTF8.self) }
    }

    /// How it ended; nil while it lives.
    var ending: String? {
        fate.withLock { $0 }
    }

    func append(_ bytes: [UInt8]) {
        said.withLock { $0 = ($0 + bytes).suffix(Self.limit) }
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
