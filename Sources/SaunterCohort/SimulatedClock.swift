import SaunterCore
import Synchronization

/// A clock that changes only through `advance`, and only forward.
package final class SimulatedClock: Sendable {
    private let time: Mutex<Instant>

    /// Creates a clock that shows this instant until it is advanced.
    package init(at start: Instant) {
        time = Mutex(start)
    }

    /// The instant that the clock shows.
    package func now() -> Instant {
        time.withLock { $0 }
    }

    /// Moves the clock forward to an instant. An earlier instant changes nothing.
    package func advance(to instant: Instant) {
        time.withLock { $0 = max($0, instant) }
    }
}
