import SaunterCore
import Synchronization

/// A clock that changes only through `advance`, and only forward.
package final class SimulatedClock: Sendable {
    private let time: Mutex<Instant>

    package init(at start: Instant) {
        time = Mutex(start)
    }

    package func now() -> Instant {
        time.withLock { $0 }
    }

    /// Moves the clock forward to an instant. An earlier instant changes nothing.
    package func advance(to instant: Instant) {
        time.withLock { $0 = max($0, instant) }
    }
}
