/// The state machine of a pool: its connections, its leases and its waiters. It uses no sockets, tasks or clock. `Pool`
/// performs the returned actions in their order.
///
/// The pool opens connections when tasks need them, up to `size`. While connecting fails, it makes one attempt at a
/// time, with increasing delays, and only while a task waits.
struct PoolMachine: Sendable {
    /// The number of a connection. A number is never used twice.
    typealias Slot = Int
    /// The number of a waiting task. A number is never used twice.
    typealias WaiterID = UInt64

    /// An action that `Pool` must perform.
    enum Action: Hashable, Sendable {
        /// Connect after the delay. Then report `opened` or `openFailed`.
        case open(Slot, after: Duration)
        case lease(Slot, to: WaiterID)
        case reject(WaiterID, Rejection)
        /// Close the connection of a slot that no longer exists.
        case discard(Slot)
        /// Abort the connection, so that the current request of its holder fails at once.
        case abort(Slot)
        /// Report that the pool is empty and permanently closed.
        case finish
    }

    /// Why a task gets no connection.
    enum Rejection: Hashable, Sendable {
        case closed
        case cancelled
        /// No connection became free in time.
        case timedOut
        /// Too many tasks already wait.
        case queueFull
    }

    private enum SlotState {
        /// Next: idle, leased or removed.
        case connecting
        /// Next: leased or removed.
        case idle
        /// Next: idle, removed, or leased to the next waiter.
        case leased
    }

    private let size: Int
    private let maximumWaiting: Int
    private var slots: [Slot: SlotState] = [:]
    /// A stack: the connection that was released last is leased first. This keeps the number of
    /// connections in use small, and their caches stay warm.
    private var idle: [Slot] = []
    private var queue = WaiterQueue<WaiterID>()
    private var lastSlot = 0
    private var consecutiveFailures = 0
    private(set) var isClosing = false

    init(size: Int, maximumWaiting: Int) {
        self.size = max(1, size)
        self.maximumWaiting = max(0, maximumWaiting)
    }

    var leasedCount: Int {
        slots.values.count { $0 == .leased }
    }

    var waitingCount: Int {
        queue.count
    }

    /// Whether the last attempt to connect failed.
    var isFailing: Bool {
        consecutiveFailures > 0
    }

    /// A task needs a connection.
    mutating func acquire(_ waiter: WaiterID) -> [Action] {
        if isClosing { return [.reject(waiter, .closed)] }
        if let slot = takeIdle() { return [.lease(slot, to: waiter)] }
        guard queue.count < maximumWaiting else { return [.reject(waiter, .queueFull)] }
        queue.append(waiter)
        return openAsNeeded(after: .zero)
    }

    /// Leases an idle connection; nil if there is none. This call overtakes no waiter, because no connection is idle
    /// while a task waits.
    mutating func takeIdle() -> Slot? {
        guard !isClosing, let slot = idle.popLast() else { return nil }
        slots[slot] = .leased
        return slot
    }

    /// A task stops waiting. No effect if the task has already got a connection or a rejection.
    mutating func stopWaiting(_ waiter: WaiterID, because rejection: Rejection) -> [Action] {
        queue.remove(waiter) ? [.reject(waiter, rejection)] : []
    }

    mutating func opened(_ slot: Slot) -> [Action] {
        consecutiveFailures = 0
        guard !isClosing else { return discard(slot) }
        return makeAvailable(slot) + openAsNeeded(after: .zero)
    }

    /// A connection could not be opened. `jitter` is between 0 and 1. It spreads the attempts of several servers over
    /// time.
    mutating func openFailed(_ slot: Slot, jitter: Double) -> [Action] {
        slots[slot] = nil
        consecutiveFailures += 1
        return isClosing ? finishIfEmpty() : openAsNeeded(after: backoff(jitter: jitter))
    }

    /// A task released its connection. `isReusable` states whether another task can use the connection.
    mutating func released(_ slot: Slot, isReusable: Bool) -> [Action] {
        guard slots[slot] == .leased else { return [] }
        guard isReusable, !isClosing else {
            return discard(slot) + (isClosing ? [] : openAsNeeded(after: .zero))
        }
        return makeAvailable(slot)
    }

    /// A connection broke. If it is leased, nothing happens until its holder releases it.
    mutating func lost(_ slot: Slot) -> [Action] {
        guard slots[slot] == .idle else { return [] }
        idle.removeAll { $0 == slot }
        return discard(slot)
    }

    /// These connections lead to a server that is no longer the primary. The machine discards those that are idle and
    /// aborts those that are leased.
    mutating func becameStale(_ stale: Set<Slot>) -> [Action] {
        let unused = idle.filter(stale.contains)
        idle.removeAll(where: stale.contains)
        let leased = stale.filter { slots[$0] == .leased }.sorted()
        return unused.flatMap { discard($0) } + leased.map { .abort($0) }
    }

    /// The pool closes. It leases no more connections. Holders may still use and release theirs.
    mutating func close() -> [Action] {
        guard !isClosing else { return [] }
        isClosing = true
        let rejections = queue.removeAll().map { Action.reject($0, .closed) }
        let unused = idle
        idle = []
        for slot in unused { slots[slot] = nil }
        return rejections + unused.map { .discard($0) } + finishIfEmpty()
    }

    /// The grace period of `close` is over. The machine aborts the connections that are still leased.
    mutating func forceClose() -> [Action] {
        guard isClosing, !slots.isEmpty else { return [] }
        let leased = slots.filter { $0.value == .leased }.keys.sorted()
        slots = [:]
        return leased.flatMap { [.abort($0), .discard($0)] } + [.finish]
    }

    /// Leases the connection to the first waiter. If there is none, the connection becomes idle.
    private mutating func makeAvailable(_ slot: Slot) -> [Action] {
        if let waiter = queue.popFirst() {
            slots[slot] = .leased
            return [.lease(slot, to: waiter)]
        }
        slots[slot] = .idle
        idle.append(slot)
        return []
    }

    private mutating func discard(_ slot: Slot) -> [Action] {
        slots[slot] = nil
        return [.discard(slot)] + (isClosing ? finishIfEmpty() : [])
    }

    private func finishIfEmpty() -> [Action] {
        slots.isEmpty ? [.finish] : []
    }

    /// Opens connections until each waiter has one that is being opened. The total is at most `size`. While connecting
    /// fails, only one attempt runs at a time.
    private mutating func openAsNeeded(after delay: Duration) -> [Action] {
        let connecting = slots.values.count { $0 == .connecting }
        let missing = min(size - slots.count, queue.count - connecting)
        let count = isFailing ? min(missing, 1 - connecting) : missing
        guard count > 0 else { return [] }
        return (0..<count).map { _ in
            lastSlot += 1
            slots[lastSlot] = .connecting
            return .open(lastSlot, after: delay)
        }
    }

    /// The delay before the next attempt: 50 ms, doubled with each further failure, at most 2 s. Jitter subtracts up to
    /// half.
    private func backoff(jitter: Double) -> Duration {
        let full = min(2000, 50 * (1 << min(consecutiveFailures - 1, 10)))
        return .milliseconds(full) * (1 - 0.5 * min(1, max(0, jitter)))
    }
}
