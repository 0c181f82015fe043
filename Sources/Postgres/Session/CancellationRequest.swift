import CLibPQ
import Synchronization

/// Asks the server to cancel the running request of a session. libpq opens a second connection for that and waits until
/// the server closes it. Each cancellation request therefore runs on a separate thread, while the session continues to
/// read.
final class CancellationRequest: Sendable {
    private let finished = Atomic(false)
    private let wake: @Sendable () -> Void

    private init(wake: @escaping @Sendable () -> Void) {
        self.wake = wake
    }

    /// Whether the request was delivered or failed. From then on, it cannot cancel a later statement.
    var isFinished: Bool {
        finished.load(ordering: .acquiring)
    }

    /// Starts the request. Calls `wake` when it has finished. Returns nil if the request cannot start.
    static func start(for connection: OpaquePointer, wake: @escaping @Sendable () -> Void)
        -> CancellationRequest?
    {
        guard let request = unsafe PQgetCancel(connection) else { return nil }
        let cancellation = CancellationRequest(wake: wake)
        nonisolated(unsafe) let owned = unsafe request
        let started = DetachedThread.start {
            // Ignores the status: the session sees either the end of the statement or the end of the grace period.
            unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { text in
                _ = unsafe PQcancel(owned, text.baseAddress, Int32(text.count))
            }
            unsafe PQfreeCancel(owned)
            cancellation.finished.store(true, ordering: .releasing)
            cancellation.wake()
        }
        guard started else {
            unsafe PQfreeCancel(request)
            return nil
        }
        return cancellation
    }
}
