/// What waits, in lanes of its own kind each: taken in turns, so that a lane with thousands of entries keeps no other lane waiting. Within a lane
/// the order of arrival holds. A lane that is empty is forgotten.
struct FairLanes<Element> {
    private struct Lane {
        let name: String
        var elements: [Element] = []
        /// Those before it are taken.
        var head = 0

        var isEmpty: Bool { head == elements.count }

        mutating func next() -> Element {
            let element = elements[head]
            head += 1
            // Moved together now and then: a lane that is never empty must not keep what was taken for ever.
            if head >= 1024, head * 2 >= elements.count {
                elements.removeFirst(head)
                head = 0
            }
            return element
        }
    }

    private var lanes: [Lane] = []
    /// By name, its place in `lanes`.
    private var places: [String: Int] = [:]
    /// The lane whose turn it is.
    private var turn = 0
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    /// Adds an entry at the end of its lane.
    mutating func append(_ element: Element, to lane: String) {
        let place: Int
        if let known = places[lane] {
            place = known
        } else {
            place = lanes.count
            places[lane] = place
            lanes.append(Lane(name: lane))
        }
        lanes[place].elements.append(element)
        count += 1
    }

    /// Takes entries, one of each lane in turn, until so many are taken or `isFull` says so of what has been taken; at least one if there is any.
    mutating func take(_ most: Int, until isFull: (Element) -> Bool = { _ in false }) -> [Element] {
        var taken: [Element] = []
        taken.reserveCapacity(min(most, count))
        while taken.count < most, count > 0 {
            if turn >= lanes.count { turn = 0 }
            let element = lanes[turn].next()
            taken.append(element)
            count -= 1
            if lanes[turn].isEmpty { forget(turn) } else { turn += 1 }
            if isFull(element) { break }
        }
        return taken
    }

    private mutating func forget(_ place: Int) {
        places[lanes[place].name] = nil
        lanes.remove(at: place)
        for moved in place..<lanes.count { places[lanes[moved].name] = moved }
    }
}
