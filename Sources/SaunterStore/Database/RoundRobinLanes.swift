/// Waiting elements in named lanes. `take` serves the lanes round-robin, so that a lane with thousands of elements does
/// not delay the others. Each lane is first in, first out. An empty lane is removed.
struct RoundRobinLanes<Element> {
    private struct Lane {
        let name: String
        var elements: [Element] = []
        /// The elements before this index are taken.
        var head = 0

        var isEmpty: Bool { head == elements.count }

        mutating func next() -> Element {
            let element = elements[head]
            head += 1
            // Frees the taken elements from time to time: a lane that never becomes empty would keep them otherwise.
            if head >= 1024, head * 2 >= elements.count {
                elements.removeFirst(head)
                head = 0
            }
            return element
        }
    }

    private var lanes: [Lane] = []
    /// The index of each lane in `lanes`, by name.
    private var indices: [String: Int] = [:]
    /// The index of the lane that is served next.
    private var turn = 0
    /// The number of elements in all lanes.
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    /// Adds an element at the end of its lane.
    mutating func append(_ element: Element, to lane: String) {
        let index: Int
        if let known = indices[lane] {
            index = known
        } else {
            index = lanes.count
            indices[lane] = index
            lanes.append(Lane(name: lane))
        }
        lanes[index].elements.append(element)
        count += 1
    }

    /// Removes and returns elements, one of each lane in turn, until there are `maximum` of them or `isFull` returns
    /// true for the element that was added last. Returns at least one element unless all lanes are empty.
    mutating func take(_ maximum: Int, until isFull: (Element) -> Bool = { _ in false }) -> [Element] {
        var taken: [Element] = []
        taken.reserveCapacity(min(maximum, count))
        while taken.count < maximum, count > 0 {
            if turn >= lanes.count { turn = 0 }
            let element = lanes[turn].next()
            taken.append(element)
            count -= 1
            if lanes[turn].isEmpty { removeLane(turn) } else { turn += 1 }
            if isFull(element) { break }
        }
        return taken
    }

    private mutating func removeLane(_ index: Int) {
        indices[lanes[index].name] = nil
        lanes.remove(at: index)
        for moved in index..<lanes.count { indices[lanes[moved].name] = moved }
    }
}
