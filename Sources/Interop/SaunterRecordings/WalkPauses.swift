import SaunterCore

/// Pauses in any order that may overlap.
extension Sequence<WalkPause> {
    /// Whether two different pauses overlap. Equal pauses count as one.
    var hasOverlap: Bool {
        let sorted = inOrder
        return zip(sorted, sorted.dropFirst()).contains { $0 != $1 && $1.from < $0.to }
    }

    /// Pauses that cover the same time, in order and without overlaps.
    var union: [WalkPause] {
        var union: [WalkPause] = []
        for pause in inOrder {
            if let last = union.last, pause.from <= last.to {
                union[union.count - 1].to = Swift.max(last.to, pause.to)
            } else {
                union.append(pause)
            }
        }
        return union
    }

    private var inOrder: [WalkPause] {
        sorted { $0.from == $1.from ? $0.to < $1.to : $0.from < $1.from }
    }

    /// The length of the union, in milliseconds.
    var unionMs: Int64 { union.reduce(0) { $0 + $1.to.milliseconds(since: $1.from) } }
}
