import Synchronization

/// Getting a connection and giving it back.
extension Pool {
    func acquire() async throws(DatabaseError) -> Lease {
        let startedAt = ContinuousClock.now
        let (waiter, lease) = takeIdle()
        let result =
            if let lease { Result<Lease, DatabaseError>.success(lease) } else { await wait(as: waiter) }
        settings.metrics.record(acquireWait: startedAt.duration(to: .now))
        if case .failure(let error) = result { settings.metrics.count(error) }
        return try result.get()
    }

    /// The way without waiting, and a number for waiting when there is none.
    private func takeIdle() -> (PoolMachine.Waiter, Lease?) {
        state.withLock { state in
            state.waiterSerial += 1
            let lease = state.machine.takeIdle().flatMap { slot in
                state.connections[slot].map { Lease(slot: slot, connection: $0) }
            }
            if lease != nil { settings.metrics.record(inUse: state.machine.lentCount) }
            return (state.waiterSerial, lease)
        }
    }

    private func wait(as waiter: PoolMachine.Waiter) async -> Result<Lease, DatabaseError> {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let timer = Task { [weak self, acquireTimeout] in
                    guard (try? await Task.sleep(for: acquireTimeout)) != nil else { return }
                    self?.perform { $0.machine.giveUp(waiter, because: .timedOut) }
                }
                perform { state in
                    state.waiting[waiter] = Waiting(continuation: continuation, timer: timer)
                    let actions = state.machine.acquire(waiter)
                    // A task that was cancelled before it joined the queue found nobody to give up for.
                    return Task.isCancelled
                        ? actions + state.machine.giveUp(waiter, because: .cancelled) : actions
                }
            }
        } onCancel: {
            perform { $0.machine.giveUp(waiter, because: .cancelled) }
        }
    }

    func giveBack(_ lease: Lease) {
        perform { $0.machine.returned(lease.slot, isFit: lease.connection.isAtRest) }
    }
}
