import Logging
import Synchronization

/// The machine's hands.
extension Pool {
    /// Gives an event to the machine and does what it says: bookkeeping under the lock, the rest outside it.
    func perform(_ event: (inout State) -> [PoolMachine.Action]) {
        var errands: [@Sendable () -> Void] = []
        state.withLock { state in
            for action in event(&state) { apply(action, to: &state, &errands) }
            // Under the lock, so that of two values the later one stays.
            settings.metrics.record(inUse: state.machine.lentCount)
        }
        for errand in errands { errand() }
    }

    private func apply(
        _ action: PoolMachine.Action, to state: inout State, _ errands: inout [@Sendable () -> Void]
    ) {
        switch action {
        case .open(let slot, let delay):
            errands.append { self.open(slot, after: delay) }
        case .lend(let slot, let waiter):
            guard let connection = state.connections[slot],
                let waiting = state.waiting.removeValue(forKey: waiter)
            else { return }
            errands.append { waiting.resume(.success(Lease(slot: slot, connection: connection))) }
        case .refuse(let waiter, let refusal):
            guard let waiting = state.waiting.removeValue(forKey: waiter) else { return }
            let error = Self.error(for: refusal, state.machine.isFailing ? state.lastOpenFailure : nil)
            errands.append { waiting.resume(.failure(error)) }
        case .discard(let slot):
            guard let connection = state.connections.removeValue(forKey: slot) else { return }
            errands.append { Task { await connection.close() } }
        case .abort(let slot):
            state.connections[slot]?.abort()
        case .finish:
            state.isFinished = true
            let closers = state.closers
            state.closers = []
            errands.append { for closer in closers { closer.resume() } }
        }
    }

    private static func error(for refusal: PoolMachine.Refusal, _ openFailure: DatabaseError?)
        -> DatabaseError
    {
        switch refusal {
        case .closed: DatabaseError(.closed)
        case .cancelled: DatabaseError(.cancelled)
        // That nothing could be opened says more than that nothing was free.
        case .timedOut, .crowded: openFailure ?? DatabaseError(.timeout(.acquire))
        }
    }

    var isClosing: Bool {
        state.withLock { $0.machine.isClosing }
    }

    private func open(_ slot: PoolMachine.Slot, after delay: Duration) {
        Task.detached { [self] in
            if delay > .zero { try await Task.sleep(for: delay) }
            do throws(DatabaseError) {
                if isClosing { throw DatabaseError(.closed) }
                let connection = try await Connection.open(settings) { [weak self] in
                    self?.perform { $0.machine.lost(slot) }
                }
                perform { state in
                    state.connections[slot] = connection
                    return state.machine.opened(slot)
                }
                watchForSilence()
            } catch {
                if error.kind != .closed {
                    settings.logger.warning("cannot connect to the database", metadata: ["error": "\(error)"])
                }
                perform { state in
                    state.lastOpenFailure = error
                    return state.machine.openFailed(slot, jitter: .random(in: 0...1))
                }
            }
        }
    }
}
