/// A span in which the participant paused the walk.
package struct WalkPause: Sendable, Hashable {
    /// The start, inside the walk.
    package var from: Instant
    /// The end, inside the walk and not before the start.
    package var to: Instant

    /// Creates a pause without checking its order.
    package init(from: Instant, to: Instant) {
        self.from = from
        self.to = to
    }
}

extension WalkPause {
    /// Validates pauses, and joins pauses that are adjacent or equal. Reports overlapping pauses.
    static func merged(
        _ pauses: [WalkPause], within walk: ClosedRange<Instant>, pointer: String,
        faults: inout FaultCollector
    ) -> [WalkPause] {
        guard pauses.count <= Walk.maximumPauses else {
            faults.add(pointer, "too_many", "A walk has at most \(Walk.maximumPauses) pauses.")
            return []
        }
        for (index, pause) in pauses.enumerated() {
            let path = "\(pointer)/\(index)"
            if pause.to < pause.from {
                faults.add("\(path)/to", "ends_before_start", "A pause cannot end before it begins.")
            }
            if !walk.contains(pause.from) {
                faults.add("\(path)/from", "outside_walk", "A pause must be inside its walk.")
            }
            if !walk.contains(pause.to) {
                faults.add("\(path)/to", "outside_walk", "A pause must be inside its walk.")
            }
        }
        var merged: [WalkPause] = []
        var previous: WalkPause?
        let sorted = pauses.enumerated().filter { $0.element.from < $0.element.to }
            .sorted {
                ($0.element.from, $0.element.to, $0.offset) < ($1.element.from, $1.element.to, $1.offset)
            }
        for (index, pause) in sorted {
            defer { previous = pause }
            guard let last = merged.last, pause.from <= last.to else {
                merged.append(pause)
                continue
            }
            if pause == previous { continue }
            if pause.from < last.to {
                faults.add(
                    "\(pointer)/\(index)/from", "overlaps", "The pause overlaps another pause of this walk.")
            }
            merged[merged.count - 1].to = max(last.to, pause.to)
        }
        return merged
    }
}
