/// Who waits for a connection, first come first served. Leaving the queue from its middle costs no more than
/// joining it.
struct WaiterQueue<ID: Hashable & Sendable>: Sendable {
    private var order: [ID] = []
    private var head = 0
    private var waiting: Set<ID> = []

    var count: Int {
        waiting.count
    }

    var isEmpty: Bool {
        waiting.isEmpty
    }

    mutating func append(_ id: ID) {
        order.append(id)
        waiting.insert(id)
    }

    /// Whether it was waiting.
    mutating func remove(_ id: ID) -> Bool {
        waiting.remove(id) != nil
    }

    mutating func popFirst() -> ID? {
        while head < order.count {
            let id = order[head]
            head += 1
            // Those that have left are still in the order; half a queue of them is cleared away at once.
            if head > 64, head * 2 > order.count {
                order.removeFirst(head)
                head = 0
            }
            if waiting.remove(id) != nil { return id }
        }
        return nil
    }

    /// Empties the queue, giving all who waited in their order.
    mutating func removeAll() -> [ID] {
        var all: [ID] = []
        while let id = popFirst() { all.append(id) }
        return all
    }
}
