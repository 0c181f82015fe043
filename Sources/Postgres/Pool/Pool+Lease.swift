import Synchronization

/// Acquires and releases connections.
extension Pool {
    /// Leases an idle connection, or waits for one at most `acquireTimeout`.
    func acquire() async throws(DatabaseError) -> Lease {
        let startedAt = ContinuousClock.now
        let (waiter, lease) = takeIdle()
        let result =
            if let lease { Result<Lease, DatabaseError>.success(lease) } else { await wait(as: waiter) }
        settings.metrics.record(acquireWait: startedAt.duration(to: .now))
        if case .failure(let error) = result { settings.metrics.count(error) }
        return try result.get()
    }

    /// Leases an idle connection without waiting. If there is none, the caller waits under the returned id.
    private func takeIdle() -> (PoolMachine.WaiterID, Lease?) {
        state.withLock { state in
            state.lastWaiterID += 1
            let lease = state.machine.takeIdle().flatMap { slot in
                state.connections[slot].map { Lease(slot: slot, connection: $0) }
            }
            if lease != nil { settings.metrics.record(inUse: state.machine.leasedCount) }
            return (state.lastWaiterID, lease)
        }
    }

    private func wait(as waiter: PoolMachine.WaiterID) async -> Result<Lease, DatabaseError> {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let timer = Task { [weak self, acquireTimeout] in
                    guard (try? await Task.sleep(for: acquireTimeout)) != nil else { return }
                    self?.perform { $0.machine.stopWaiting(waiter, because: .timedOut) }
                }
                perform { state in
                    state.waiters[waiter] = Waiter(continuation: continuation, timer: timer)
                    let actions = state.machine.acquire(waiter)
                    // If the task was cancelled before it joined the queue, `onCancel` found no waiter to remove.
                    return Task.isCancelled
                        ? actions + state.machine.stopWaiting(waiter, because: .cancelled) : actions
                }
            }
        } onCancel: {
            perform { $0.machine.stopWaiting(waiter, because: .cancelled) }
        }
    }

    func release(_ lease: Lease) {
        perform { $0.machine.released(lease.slot, isReusable: lease.connection.isIdle) }
    }
}
