/// The tasks that wait for a connection, in order of arrival. Removing an id from the middle costs no more than
/// appending one.
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

    /// Removes the id. Returns false if it was not in the queue.
    mutating func remove(_ id: ID) -> Bool {
        waiting.remove(id) != nil
    }

    mutating func popFirst() -> ID? {
        while head < order.count {
            let id = order[head]
            head += 1
            // The ids before `head` are removed together when they fill half of `order`. Removing each one separately
            // would move all later ids each time.
            if head > 64, head * 2 > order.count {
                order.removeFirst(head)
                head = 0
            }
            if waiting.remove(id) != nil { return id }
        }
        return nil
    }

    /// Empties the queue. Returns the ids in order of arrival.
    mutating func removeAll() -> [ID] {
        var all: [ID] = []
        while let id = popFirst() { all.append(id) }
        return all
    }
}
