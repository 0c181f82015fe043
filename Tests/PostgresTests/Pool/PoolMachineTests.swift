import Testing

@testable import Postgres

@Suite("PoolMachine") struct PoolMachineTests {
    /// A machine with `count` connections open and idle.
    func machine(size: Int, idle count: Int, maximumWaiting: Int = 100) -> PoolMachine {
        var machine = PoolMachine(size: size, maximumWaiting: maximumWaiting)
        for waiter in 0..<count { _ = machine.acquire(PoolMachine.Waiter(1000 + waiter)) }
        for slot in 0..<count { _ = machine.opened(slot + 1) }
        for slot in 0..<count { _ = machine.returned(slot + 1, isFit: true) }
        return machine
    }

    @Test func `connections are opened as they are wanted, up to the size`() {
        let machine = Box(PoolMachine(size: 2, maximumWaiting: 100))

        #expect(machine { $0.acquire(1) } == [.open(1, after: .zero)])
        #expect(machine { $0.acquire(2) } == [.open(2, after: .zero)])
        #expect(machine { $0.acquire(3) } == [])
        #expect(machine { $0.opened(2) } == [.lend(2, to: 1)])
        #expect(machine { $0.opened(1) } == [.lend(1, to: 2)])
        #expect(machine { $0.lentCount } == 2)
        #expect(machine { $0.waitingCount } == 1)
    }

    @Test func `a returned connection goes to whoever has waited longest`() {
        let machine = Box(machine(size: 1, idle: 1))
        machine { $0.acquire(1) }
        machine { $0.acquire(2) }
        machine { $0.acquire(3) }

        #expect(machine { $0.returned(1, isFit: true) } == [.lend(1, to: 2)])
        #expect(machine { $0.returned(1, isFit: true) } == [.lend(1, to: 3)])
        #expect(machine { $0.returned(1, isFit: true) } == [])
        #expect(machine { $0.lentCount } == 0)
    }

    @Test func `the last returned is the first lent`() {
        let machine = Box(machine(size: 3, idle: 3))

        #expect(machine { $0.acquire(1) } == [.lend(3, to: 1)])
        #expect(machine { $0.takeIdle() } == 2)
    }

    @Test func `who holds a connection that has strayed fails, and nobody else gets one`() {
        let machine = Box(machine(size: 4, idle: 3))
        #expect(machine { $0.acquire(1) } == [.lend(3, to: 1)])

        #expect(machine { $0.strayed([1, 3, 9]) } == [.discard(1), .abort(3)])
        #expect(machine { $0.acquire(2) } == [.lend(2, to: 2)])
        #expect(machine { $0.acquire(3) } == [.open(4, after: .zero)])
        #expect(machine { $0.returned(3, isFit: false) } == [.discard(3)])
    }

    @Test func `an unfit connection is discarded and replaced only for those who wait`() {
        let machine = Box(machine(size: 1, idle: 1))
        machine { $0.acquire(1) }
        machine { $0.acquire(2) }

        #expect(machine { $0.returned(1, isFit: false) } == [.discard(1), .open(2, after: .zero)])
        #expect(machine { $0.opened(2) } == [.lend(2, to: 2)])
        #expect(machine { $0.returned(2, isFit: false) } == [.discard(2)])
    }

    @Test func `a connection that breaks while idle is gone, one that is lent is its holder's affair`() {
        let machine = Box(machine(size: 2, idle: 2))
        machine { $0.acquire(1) }

        #expect(machine { $0.lost(1) } == [.discard(1)])
        #expect(machine { $0.lost(2) } == [])
        #expect(machine { $0.acquire(2) } == [.open(3, after: .zero)])
    }

    @Test func `while connecting fails one attempt at a time is made, at growing intervals`() {
        let machine = Box(PoolMachine(size: 4, maximumWaiting: 100))
        for waiter in 1...4 { machine { $0.acquire(PoolMachine.Waiter(waiter)) } }

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

    @Test func `once connecting works again all who wait are served`() {
        let machine = Box(PoolMachine(size: 3, maximumWaiting: 100))
        for waiter in 1...3 { machine { $0.acquire(PoolMachine.Waiter(waiter)) } }
        for slot in 1...3 { machine { $0.openFailed(slot, jitter: 0) } }

        #expect(
            machine { $0.opened(4) } == [.lend(4, to: 1), .open(5, after: .zero), .open(6, after: .zero)])
        #expect(!machine { $0.isFailing })
    }

    @Test func `nobody waits, nobody connects`() {
        let machine = Box(PoolMachine(size: 3, maximumWaiting: 100))
        machine { $0.acquire(1) }

        #expect(machine { $0.giveUp(1, because: .timedOut) } == [.refuse(1, .timedOut)])
        #expect(machine { $0.openFailed(1, jitter: 0) } == [])
    }

    @Test func `giving up is without effect when one has been served`() {
        let machine = Box(machine(size: 1, idle: 1))
        machine { $0.acquire(1) }

        #expect(machine { $0.giveUp(1, because: .cancelled) } == [])
    }

    @Test func `a crowd is refused`() {
        let machine = Box(machine(size: 1, idle: 1, maximumWaiting: 1))
        machine { $0.acquire(1) }
        machine { $0.acquire(2) }

        #expect(machine { $0.acquire(3) } == [.refuse(3, .crowded)])
    }

    @Test func `closing refuses those who wait, drops the idle, and ends with the last return`() {
        let machine = Box(machine(size: 2, idle: 2))
        machine { $0.acquire(1) }

        #expect(machine { $0.close() } == [.discard(1)])
        #expect(machine { $0.acquire(2) } == [.refuse(2, .closed)])
        #expect(machine { $0.takeIdle() } == nil)
        #expect(machine { $0.returned(2, isFit: true) } == [.discard(2), .finish])
        #expect(machine { $0.close() } == [])
    }

    @Test func `those who wait learn of the closing`() {
        let machine = Box(machine(size: 1, idle: 1))
        machine { $0.acquire(1) }
        machine { $0.acquire(2) }

        #expect(machine { $0.close() } == [.refuse(2, .closed)])
    }

    @Test func `an unused pool closes at once`() {
        let machine = Box(PoolMachine(size: 2, maximumWaiting: 100))

        #expect(machine { $0.close() } == [.finish])
    }

    @Test func `a connection that opens while the pool closes is dropped`() {
        let machine = Box(PoolMachine(size: 2, maximumWaiting: 100))
        machine { $0.acquire(1) }

        #expect(machine { $0.close() } == [.refuse(1, .closed)])
        #expect(machine { $0.opened(1) } == [.discard(1), .finish])
    }

    @Test func `after the grace time what is lent is taken away`() {
        let machine = Box(machine(size: 2, idle: 2))
        machine { $0.acquire(1) }
        machine { $0.acquire(2) }
        machine { $0.close() }

        #expect(machine { $0.forceClose() } == [.abort(1), .discard(1), .abort(2), .discard(2), .finish])
        #expect(machine { $0.returned(1, isFit: true) } == [])
        #expect(machine { $0.forceClose() } == [])
    }
}
