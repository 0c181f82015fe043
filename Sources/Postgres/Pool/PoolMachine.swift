/// Which connections a pool has, who holds them and who waits. Decided here without sockets, tasks or a
/// clock; `Pool` performs the actions, in their order.
///
/// Connections are opened when they are wanted, up to `size`. While connecting fails, one attempt at a time
/// is made, at growing intervals, and only as long as somebody waits.
struct PoolMachine: Sendable {
    /// A place for a connection; numbers are never used twice.
    typealias Slot = Int
    typealias Waiter = UInt64

    /// What the pool has to do.
    enum Action: Hashable, Sendable {
        /// Connect, after the delay, and report `opened` or `openFailed`.
        case open(Slot, after: Duration)
        case lend(Slot, to: Waiter)
        case refuse(Waiter, Refusal)
        /// Close the connection of a slot that is no more.
        case discard(Slot)
        /// Make whoever holds the connection fail at once.
        case abort(Slot)
        /// The pool is empty and closed for good.
        case finish
    }

    /// Why somebody gets no connection.
    enum Refusal: Hashable, Sendable {
        case closed
        case cancelled
        /// Nothing became free in time.
        case timedOut
        /// Too many wait already.
        case crowded
    }

    private enum SlotState {
        /// May become idle, lent or gone.
        case connecting
        /// May become lent or gone.
        case idle
        /// May become idle or gone; or lent again, to the next who waits.
        case lent
    }

    private let size: Int
    private let maximumWaiting: Int
    private var slots: [Slot: SlotState] = [:]
    /// The last returned is the first lent: the fewer connections are in use, the warmer they are.
    private var idle: [Slot] = []
    private var queue = WaiterQueue<Waiter>()
    private var serial = 0
    private var failuresInSequence = 0
    private(set) var isClosing = false

    init(size: Int, maximumWaiting: Int) {
        self.size = max(1, size)
        self.maximumWaiting = max(0, maximumWaiting)
    }

    var lentCount: Int {
        slots.values.count { $0 == .lent }
    }

    var waitingCount: Int {
        queue.count
    }

    /// Connecting did not work the last time.
    var isFailing: Bool {
        failuresInSequence > 0
    }

    /// Somebody wants a connection.
    mutating func acquire(_ waiter: Waiter) -> [Action] {
        if isClosing { return [.refuse(waiter, .closed)] }
        if let slot = takeIdle() { return [.lend(slot, to: waiter)] }
        guard queue.count < maximumWaiting else { return [.refuse(waiter, .crowded)] }
        queue.append(waiter)
        return openAsNeeded(after: .zero)
    }

    /// A connection that can be had without waiting. Nobody is overtaken: while anybody waits, none is idle.
    mutating func takeIdle() -> Slot? {
        guard !isClosing, let slot = idle.popLast() else { return nil }
        slots[slot] = .lent
        return slot
    }

    /// Somebody stops waiting. Without effect when they have been served meanwhile.
    mutating func giveUp(_ waiter: Waiter, because refusal: Refusal) -> [Action] {
        queue.remove(waiter) ? [.refuse(waiter, refusal)] : []
    }

    mutating func opened(_ slot: Slot) -> [Action] {
        failuresInSequence = 0
        guard !isClosing else { return discard(slot) }
        return serve(slot) + openAsNeeded(after: .zero)
    }

    /// `jitter` is from 0 to 1 and spreads the attempts of several servers.
    mutating func openFailed(_ slot: Slot, jitter: Double) -> [Action] {
        slots[slot] = nil
        failuresInSequence += 1
        return isClosing ? finishIfEmpty() : openAsNeeded(after: pause(jitter: jitter))
    }

    /// A connection comes back; `isFit` says whether it can be lent again.
    mutating func returned(_ slot: Slot, isFit: Bool) -> [Action] {
        guard slots[slot] == .lent else { return [] }
        guard isFit, !isClosing else { return discard(slot) + (isClosing ? [] : openAsNeeded(after: .zero)) }
        return serve(slot)
    }

    /// A connection broke. One that is lent is told by whoever holds it.
    mutating func lost(_ slot: Slot) -> [Action] {
        guard slots[slot] == .idle else { return [] }
        idle.removeAll { $0 == slot }
        return discard(slot)
    }

    /// These lead to a server that leads no more: whoever holds one fails at once, and nobody gets one.
    mutating func strayed(_ strays: Set<Slot>) -> [Action] {
        let unused = idle.filter(strays.contains)
        idle.removeAll(where: strays.contains)
        let held = strays.filter { slots[$0] == .lent }.sorted()
        return unused.flatMap { discard($0) } + held.map { .abort($0) }
    }

    /// No more connections are lent; those that are may be returned in peace.
    mutating func close() -> [Action] {
        guard !isClosing else { return [] }
        isClosing = true
        let refusals = queue.removeAll().map { Action.refuse($0, .closed) }
        let unused = idle
        idle = []
        for slot in unused { slots[slot] = nil }
        return refusals + unused.map { .discard($0) } + finishIfEmpty()
    }

    /// Time for returning in peace is over.
    mutating func forceClose() -> [Action] {
        guard isClosing, !slots.isEmpty else { return [] }
        let held = slots.filter { $0.value == .lent }.keys.sorted()
        slots = [:]
        return held.flatMap { [.abort($0), .discard($0)] } + [.finish]
    }

    private mutating func serve(_ slot: Slot) -> [Action] {
        if let waiter = queue.popFirst() {
            slots[slot] = .lent
            return [.lend(slot, to: waiter)]
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

    /// As many new connections as people wait, as far as there is room.
    private mutating func openAsNeeded(after delay: Duration) -> [Action] {
        let connecting = slots.values.count { $0 == .connecting }
        let room = min(size - slots.count, queue.count - connecting)
        let wanted = isFailing ? min(room, 1 - connecting) : room
        guard wanted > 0 else { return [] }
        return (0..<wanted).map { _ in
            serial += 1
            slots[serial] = .connecting
            return .open(serial, after: delay)
        }
    }

    /// 50 ms, doubled with each failure up to 2 s, less up to half by jitter.
    private func pause(jitter: Double) -> Duration {
        let full = min(2000, 50 * (1 << min(failuresInSequence - 1, 10)))
        return .milliseconds(full) * (1 - 0.5 * min(1, max(0, jitter)))
    }
}
