import SaunterCore
import Synchronization

/// A clock that stands still until somebody sets it; it never goes back.
package final class SimulatedClock: Sendable {
    private let time: Mutex<Instant>

    package init(at start: Instant) {
        time = Mutex(start)
    }

    package func now() -> Instant {
        time.withLock { $0 }
    }

    /// Moves on to a moment; one that is past changes nothing.
    package func advance(to instant: Instant) {
        time.withLock { $0 = max($0, instant) }
    }
}
