import Synchronization

/// How far the reading of a body is.
final class ArrivedBytes: Sendable {
    let count = Atomic(0)
    /// The reading was given up.
    let isLate = Atomic(false)
}

/// Looks after all bodies that are arriving, and gives up those that take longer than their progress earns. One look at all of them ten times a
/// second: a clock for each would cost more than reading most bodies does.
final class BodyWatch: Sendable {
    /// One body that is arriving.
    struct Reading: Hashable {
        fileprivate let number: UInt64
    }

    private struct Watched: Sendable {
        let start: ContinuousClock.Instant
        let pace: BodyPace
        let arrived: ArrivedBytes
        let giveUp: @Sendable () -> Void

        func isLate(at now: ContinuousClock.Instant) -> Bool {
            now >= start + pace.allowance(afterBytes: arrived.count.load(ordering: .relaxed))
        }
    }

    private struct State {
        var serial: UInt64 = 0
        var readings: [Reading: Watched] = [:]
        var isLooking = false
    }

    static let shared = BodyWatch()
    private static let interval = Duration.milliseconds(100)

    private let state = Mutex(State())

    /// - Parameter giveUp: called once, from elsewhere, when the time is over.
    func begin(
        _ pace: BodyPace, _ arrived: ArrivedBytes, giveUp: @escaping @Sendable () -> Void
    ) -> Reading {
        let watched = Watched(start: .now, pace: pace, arrived: arrived, giveUp: giveUp)
        let (reading, isFirst) = state.withLock { state in
            state.serial += 1
            let reading = Reading(number: state.serial)
            state.readings[reading] = watched
            defer { state.isLooking = true }
            return (reading, !state.isLooking)
        }
        if isFirst { look() }
        return reading
    }

    func end(_ reading: Reading) {
        state.withLock { $0.readings[reading] = nil }
    }

    /// Looks until nothing is arriving any more.
    private func look() {
        Task {
            while true {
                // Nobody can cancel this task, so the sleep does not throw.
                try? await Task.sleep(for: Self.interval)
                guard let late = takeLate() else { return }
                for watched in late {
                    watched.arrived.isLate.store(true, ordering: .relaxed)
                    watched.giveUp()
                }
            }
        }
    }

    /// Those whose time is over; nil when there is nothing to look at, and the looking ends.
    private func takeLate() -> [Watched]? {
        let now = ContinuousClock.now
        return state.withLock { state in
            guard !state.readings.isEmpty else {
                state.isLooking = false
                return nil
            }
            let late = state.readings.filter { $0.value.isLate(at: now) }
            for reading in late.keys { state.readings[reading] = nil }
            return Array(late.values)
        }
    }
}
