import CLibPQ
import Synchronization

/// Asks the server to stop what a session is doing. libpq does that over a second connection and waits for it
/// to be closed, so each errand runs on a thread of its own; the session goes on reading meanwhile.
final class CancelErrand: Sendable {
    private let isOver = Atomic(false)
    private let wake: @Sendable () -> Void

    private init(wake: @escaping @Sendable () -> Void) {
        self.wake = wake
    }

    /// The request has been delivered or has failed: from here on it cannot hit a later statement.
    var hasEnded: Bool {
        isOver.load(ordering: .acquiring)
    }

    /// Starts the errand, nil when that is impossible. `wake` is called at its end.
    static func start(for connection: OpaquePointer, wake: @escaping @Sendable () -> Void) -> CancelErrand? {
        guard let request = unsafe PQgetCancel(connection) else { return nil }
        let errand = CancelErrand(wake: wake)
        nonisolated(unsafe) let owned = unsafe request
        let started = DetachedThread.start {
            // Whether it worked shows in the session itself: the statement ends, or its grace time does.
            unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { text in
                _ = unsafe PQcancel(owned, text.baseAddress, Int32(text.count))
            }
            unsafe PQfreeCancel(owned)
            errand.isOver.store(true, ordering: .releasing)
            errand.wake()
        }
        guard started else {
            unsafe PQfreeCancel(request)
            return nil
        }
        return errand
    }
}
