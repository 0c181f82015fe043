import Logging
import Synchronization

/// Performs the actions that `PoolMachine` returns.
extension Pool {
    /// Sends an event to the machine and performs the actions that it returns. Changes the state under the lock. Runs
    /// the other effects after the lock is released.
    func perform(_ event: (inout State) -> [PoolMachine.Action]) {
        var effects: [@Sendable () -> Void] = []
        state.withLock { state in
            for action in event(&state) { apply(action, to: &state, &effects) }
            // Recorded under the lock, because otherwise an older value could replace a newer one.
            settings.metrics.record(inUse: state.machine.leasedCount)
        }
        for effect in effects { effect() }
    }

    private func apply(
        _ action: PoolMachine.Action, to state: inout State, _ effects: inout [@Sendable () -> Void]
    ) {
        switch action {
        case .open(let slot, let delay):
            effects.append { self.open(slot, after: delay) }
        case .lease(let slot, let id):
            guard let connection = state.connections[slot],
                let waiter = state.waiters.removeValue(forKey: id)
            else { return }
            effects.append { waiter.resume(.success(Lease(slot: slot, connection: connection))) }
        case .reject(let id, let rejection):
            guard let waiter = state.waiters.removeValue(forKey: id) else { return }
            let error = Self.error(for: rejection, state.machine.isFailing ? state.lastOpenFailure : nil)
            effects.append { waiter.resume(.failure(error)) }
        case .discard(let slot):
            guard let connection = state.connections.removeValue(forKey: slot) else { return }
            effects.append { Task { await connection.close() } }
        case .abort(let slot):
            state.connections[slot]?.abort()
        case .finish:
            state.isFinished = true
            let continuations = state.closeContinuations
            state.closeContinuations = []
            effects.append { for continuation in continuations { continuation.resume() } }
        }
    }

    private static func error(for rejection: PoolMachine.Rejection, _ openFailure: DatabaseError?)
        -> DatabaseError
    {
        switch rejection {
        case .closed: DatabaseError(.closed)
        case .cancelled: DatabaseError(.cancelled)
        // A failure to connect explains more than the fact that no connection was free.
        case .timedOut, .queueFull: openFailure ?? DatabaseError(.timeout(.acquire))
        }
    }

    var isClosing: Bool {
        state.withLock { $0.machine.isClosing }
    }

    /// Connects after `delay` and reports the result to the machine.
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
                startFailoverTask()
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
