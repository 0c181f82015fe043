import Testing

@testable import Postgres

@Suite("PoolMachine") struct PoolMachineTests {
    /// Returns a machine with `count` open and idle connections.
    func makeMachine(size: Int, idle count: Int, maximumWaiting: Int = 100) -> PoolMachine {
        var machine = PoolMachine(size: size, maximumWaiting: maximumWaiting)
        for waiter in 0..<count { _ = machine.acquire(PoolMachine.WaiterID(1000 + waiter)) }
        for slot in 0..<count { _ = machine.opened(slot + 1) }
        for slot in 0..<count { _ = machine.released(slot + 1, isReusable: true) }
        return machine
    }

    @Test func `connections are opened on demand, up to the size of the pool`() {
        let machine = Box(PoolMachine(size: 2, maximumWaiting: 100))

        #expect(machine { $0.acquire(1) } == [.open(1, after: .zero)])
        #expect(machine { $0.acquire(2) } == [.open(2, after: .zero)])
        #expect(machine { $0.acquire(3) } == [])
        #expect(machine { $0.opened(2) } == [.lease(2, to: 1)])
        #expect(machine { $0.opened(1) } == [.lease(1, to: 2)])
        #expect(machine { $0.leasedCount } == 2)
        #expect(machine { $0.waitingCount } == 1)
    }

    @Test func `a released connection is leased to the task that has waited longest`() {
        let machine = Box(makeMachine(size: 1, idle: 1))
        machine { $0.acquire(1) }
        machine { $0.acquire(2) }
        machine { $0.acquire(3) }

        #expect(machine { $0.released(1, isReusable: true) } == [.lease(1, to: 2)])
        #expect(machine { $0.released(1, isReusable: true) } == [.lease(1, to: 3)])
        #expect(machine { $0.released(1, isReusable: true) } == [])
        #expect(machine { $0.leasedCount } == 0)
    }

    @Test func `the connection that was released last is leased first`() {
        let machine = Box(makeMachine(size: 3, idle: 3))

        #expect(machine { $0.acquire(1) } == [.lease(3, to: 1)])
        #expect(machine { $0.takeIdle() } == 2)
    }

    @Test func `a stale connection is aborted if it is leased and discarded if it is idle`() {
        let machine = Box(makeMachine(size: 4, idle: 3))
        #expect(machine { $0.acquire(1) } == [.lease(3, to: 1)])

        #expect(machine { $0.becameStale([1, 3, 9]) } == [.discard(1), .abort(3)])
        #expect(machine { $0.acquire(2) } == [.lease(2, to: 2)])
        #expect(machine { $0.acquire(3) } == [.open(4, after: .zero)])
        #expect(machine { $0.released(3, isReusable: false) } == [.discard(3)])
    }

    @Test func `a connection that is not reusable is replaced only if a task waits`() {
        let machine = Box(makeMachine(size: 1, idle: 1))
        machine { $0.acquire(1) }
        machine { $0.acquire(2) }

        #expect(machine { $0.released(1, isReusable: false) } == [.discard(1), .open(2, after: .zero)])
        #expect(machine { $0.opened(2) } == [.lease(2, to: 2)])
        #expect(machine { $0.released(2, isReusable: false) } == [.discard(2)])
    }

    @Test func `a lost connection is discarded at once if it is idle, and on release if it is leased`() {
        let machine = Box(makeMachine(size: 2, idle: 2))
        machine { $0.acquire(1) }

        #expect(machine { $0.lost(1) } == [.discard(1)])
        #expect(machine { $0.lost(2) } == [])
        #expect(machine { $0.acquire(2) } == [.open(3, after: .zero)])
    }

    @Test func `while connecting fails, the pool makes one attempt at a time with increasing delays`() {
        let machine = Box(PoolMachine(size: 4, maximumWaiting: 100))
        for waiter in 1...4 { machine { $0.acquire(PoolMachine.WaiterID(waiter)) } }

        #expect(machine { $0.openFailed(1, jitter: 0) } == [])
        #expect(machine { $0.openFailed(2, jitter: 0) } == [])
        #expect(machine { $0.openFailed(3, jitter: 0) } == [])
        #expect(machine { $0.openFailed(4, jitter: 0) } == [.open(5, after: .milliseconds(400))])
        #expect(machine { $0.isFailing })
        #expect(machine { $0.acquire(5) } == [])
        #expect(machine { $0.openFailed(5, jitter: 1) } == [.open(6, after: .milliseconds(400))])
        for slot in 6..<50 { machine { $0.openFailed(slot, jitter: 0) } }
        #expect(machine { $0.openFailed(50, jitter: 0) } == [.open(51, after: .seconds(2))])
    }

    @Test func `after connecting succeeds again, all waiting tasks are served`() {
        let machine = Box(PoolMachine(size: 3, maximumWaiting: 100))
        for waiter in 1...3 { machine { $0.acquire(PoolMachine.WaiterID(waiter)) } }
        for slot in 1...3 { machine { $0.openFailed(slot, jitter: 0) } }

        #expect(
            machine { $0.opened(4) } == [.lease(4, to: 1), .open(5, after: .zero), .open(6, after: .zero)])
        #expect(!machine { $0.isFailing })
    }

    @Test func `no connection is opened while no task waits`() {
        let machine = Box(PoolMachine(size: 3, maximumWaiting: 100))
        machine { $0.acquire(1) }

        #expect(machine { $0.stopWaiting(1, because: .timedOut) } == [.reject(1, .timedOut)])
        #expect(machine { $0.openFailed(1, jitter: 0) } == [])
    }

    @Test func `stopping to wait has no effect on a task that already has a connection`() {
        let machine = Box(makeMachine(size: 1, idle: 1))
        machine { $0.acquire(1) }

        #expect(machine { $0.stopWaiting(1, because: .cancelled) } == [])
    }

    @Test func `a task is rejected if the queue is full`() {
        let machine = Box(makeMachine(size: 1, idle: 1, maximumWaiting: 1))
        machine { $0.acquire(1) }
        machine { $0.acquire(2) }

        #expect(machine { $0.acquire(3) } == [.reject(3, .queueFull)])
    }

    @Test func `closing rejects new tasks and finishes when the last connection is released`() {
        let machine = Box(makeMachine(size: 2, idle: 2))
        machine { $0.acquire(1) }

        #expect(machine { $0.close() } == [.discard(1)])
        #expect(machine { $0.acquire(2) } == [.reject(2, .closed)])
        #expect(machine { $0.takeIdle() } == nil)
        #expect(machine { $0.released(2, isReusable: true) } == [.discard(2), .finish])
        #expect(machine { $0.close() } == [])
    }

    @Test func `closing rejects the waiting tasks`() {
        let machine = Box(makeMachine(size: 1, idle: 1))
        machine { $0.acquire(1) }
        machine { $0.acquire(2) }

        #expect(machine { $0.close() } == [.reject(2, .closed)])
    }

    @Test func `an unused pool closes immediately`() {
        let machine = Box(PoolMachine(size: 2, maximumWaiting: 100))

        #expect(machine { $0.close() } == [.finish])
    }

    @Test func `a connection that opens while the pool closes is discarded`() {
        let machine = Box(PoolMachine(size: 2, maximumWaiting: 100))
        machine { $0.acquire(1) }

        #expect(machine { $0.close() } == [.reject(1, .closed)])
        #expect(machine { $0.opened(1) } == [.discard(1), .finish])
    }

    @Test func `closing by force aborts and discards the leased connections`() {
        let machine = Box(makeMachine(size: 2, idle: 2))
        machine { $0.acquire(1) }
        machine { $0.acquire(2) }
        machine { $0.close() }

        #expect(machine { $0.forceClose() } == [.abort(1), .discard(1), .abort(2), .discard(2), .finish])
        #expect(machine { $0.released(1, isReusable: true) } == [])
        #expect(machine { $0.forceClose() } == [])
    }
}
