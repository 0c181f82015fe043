import Synchronization

/// How much of a body has arrived.
final class BodyProgress: Sendable {
    let bytes = Atomic(0)
    /// Whether the deadline has passed and the reading was ended.
    let isLate = Atomic(false)
}

/// Ends the reading of bodies that exceed their timeout.
///
/// One task checks all bodies every 100 ms. A timer for each body would cost more than reading most bodies does.
final class BodyDeadlines: Sendable {
    /// Identifies one body.
    struct Key: Hashable {
        fileprivate let number: UInt64
    }

    private struct Entry: Sendable {
        let start: ContinuousClock.Instant
        let timeout: BodyTimeout
        let progress: BodyProgress
        let onTimeout: @Sendable () -> Void

        func isLate(at now: ContinuousClock.Instant) -> Bool {
            now >= start + timeout.duration(afterBytes: progress.bytes.load(ordering: .relaxed))
        }
    }

    private struct State {
        var serial: UInt64 = 0
        var entries: [Key: Entry] = [:]
        var isChecking = false
    }

    static let shared = BodyDeadlines()
    private static let interval = Duration.milliseconds(100)

    private let state = Mutex(State())

    /// Starts the timeout of a body.
    /// - Parameter onTimeout: called at most once, from another task.
    func add(
        _ timeout: BodyTimeout, _ progress: BodyProgress, onTimeout: @escaping @Sendable () -> Void
    ) -> Key {
        let entry = Entry(start: .now, timeout: timeout, progress: progress, onTimeout: onTimeout)
        let (key, isFirst) = state.withLock { state in
            state.serial += 1
            let key = Key(number: state.serial)
            state.entries[key] = entry
            defer { state.isChecking = true }
            return (key, !state.isChecking)
        }
        if isFirst { startChecking() }
        return key
    }

    /// Ends the timeout of a body.
    func remove(_ key: Key) {
        state.withLock { $0.entries[key] = nil }
    }

    /// Starts the task that checks the bodies. It ends when there are none.
    private func startChecking() {
        Task {
            while true {
                // No code cancels this task, so the sleep does not throw.
                try? await Task.sleep(for: Self.interval)
                guard let late = removeLate() else { return }
                for entry in late {
                    entry.progress.isLate.store(true, ordering: .relaxed)
                    entry.onTimeout()
                }
            }
        }
    }

    /// Removes and returns the bodies that exceed their timeout; nil if there are no bodies, and the checking ends.
    private func removeLate() -> [Entry]? {
        let now = ContinuousClock.now
        return state.withLock { state in
            guard !state.entries.isEmpty else {
                state.isChecking = false
                return nil
            }
            let late = state.entries.filter { $0.value.isLate(at: now) }
            for key in late.keys { state.entries[key] = nil }
            return Array(late.values)
        }
    }
}
