/// When an occasion opens on its day.
package enum Opening: Sendable, Hashable {
    case fixed(LocalTime)
    /// `count` random instants between two times, at least `minimumGap` seconds apart.
    case random(from: LocalTime, to: LocalTime, count: Int, minimumGap: Int)
    /// This number of seconds after the instant of the anchor (end of the walk, completion of the sheet).
    case afterAnchor(seconds: Int)
}

/// One window on each day of a schedule, or several if the opening is random. Invariant: visible ≤ open ≤ due ≤ close.
///
/// Lengths are nominal seconds of local time: they are added to the local opening time. A window that ends at midnight
/// therefore also ends at midnight on days with a zone transition.
package struct Slot: Sendable, Hashable {
    /// When the window opens.
    package var opening: Opening
    /// Seconds from the opening to the due time.
    package var dueAfter: Int
    /// Seconds from the opening to the close.
    package var closeAfter: Int
    /// Seconds before the opening from which the occasion is visible.
    package var visibleBefore: Int

    /// Creates a slot. Durations are in seconds.
    package init(opening: Opening, dueAfter: Int, closeAfter: Int, visibleBefore: Int = 0) {
        self.opening = opening
        self.dueAfter = dueAfter
        self.closeAfter = closeAfter
        self.visibleBefore = visibleBefore
    }
}

/// The opening of a slot on its day, before a zone is applied.
enum NominalOpening: Sendable, Hashable {
    /// Seconds of local time since 00:00 of the day. The value may be on the next day.
    case clock(Int)
    /// Elapsed seconds after the instant of the anchor.
    case elapsed(Int)

    var seconds: Int {
        switch self {
        case .clock(let seconds), .elapsed(let seconds): seconds
        }
    }
}

/// One window of a day, with its slot index in the occasion key.
struct PlannedSlot: Sendable, Hashable {
    var index: Int
    var opening: NominalOpening
    var slot: Slot
    /// Nil if the slot is not random.
    var randomPosition: RandomPosition?
}

/// The position of one window among the random windows of a slot on one day.
struct RandomPosition: Sendable, Hashable {
    /// From 0, in the order of opening.
    var index: Int
    var count: Int
    /// Seconds between two openings.
    var minimumGap: Int
    /// The latest opening, in seconds of local time since 00:00 of the day.
    var latest: Int
}

extension Slot {
    /// Number of windows per day, at most `maximumRandomCount`.
    var windowCount: Int {
        if case .random(_, _, let count, _) = opening { return min(max(count, 0), Self.maximumRandomCount) }
        return 1
    }

    static let maximumRandomCount = 100

    /// The windows of this slot on one day.
    /// - Parameter draw: makes the random generator. It is called only if the slot is random.
    func openings(firstIndex: Int, draw: () -> SeededDraw) -> [PlannedSlot] {
        switch opening {
        case .fixed(let time):
            return [PlannedSlot(index: firstIndex, opening: .clock(time.seconds), slot: self)]
        case .afterAnchor(let seconds):
            return [PlannedSlot(index: firstIndex, opening: .elapsed(Self.bounded(seconds)), slot: self)]
        case .random(let from, let to, _, let minimumGap):
            var source = draw()
            let moments = Self.randomMoments(
                from: from, to: to, count: windowCount, minimumGap: minimumGap, draw: &source)
            let latest = from.seconds + Self.randomSpan(from: from, to: to)
            return moments.enumerated().map { offset, moment in
                PlannedSlot(
                    index: firstIndex + offset, opening: .clock(moment), slot: self,
                    randomPosition: RandomPosition(
                        index: offset, count: moments.count, minimumGap: min(max(minimumGap, 0), 86_400),
                        latest: latest))
            }
        }
    }

    /// Draws `count` sorted uniform values on the part of the span that the gaps leave free, and adds the preceding
    /// gaps to each value. If `to` is not after `from`, it is on the next day. Both ends of the span are possible
    /// results.
    static func randomMoments(
        from: LocalTime, to: LocalTime, count: Int, minimumGap: Int, draw: inout SeededDraw
    ) -> [Int] {
        let gap = min(max(minimumGap, 0), 86_400)
        let span = randomSpan(from: from, to: to)
        let free = max(0, span - (count - 1) * gap)
        let draws = (0..<count).map { _ in draw.below(free + 1) }.sorted()
        return draws.enumerated().map { from.seconds + $0.element + $0.offset * gap }
    }

    static func randomSpan(from: LocalTime, to: LocalTime) -> Int {
        to > from ? to.seconds - from.seconds : to.seconds - from.seconds + 86_400
    }

    /// Clamps a length to 0...`maximumLength`, so that no definition can overflow the calendar.
    static func bounded(_ seconds: Int) -> Int {
        min(max(seconds, 0), maximumLength)
    }

    /// The maximum length of a window in seconds: 400 days.
    static let maximumLength = 400 * 86_400
}
