/// When a slot opens on its day, before any zone is known.
enum NominalOpening: Sendable, Hashable {
    /// Seconds of wall time since 00:00 of the day; may lie on the next.
    case clock(Int)
    /// Elapsed seconds after the anchor's instant.
    case elapsed(Int)

    var seconds: Int {
        switch self {
        case .clock(let seconds), .elapsed(let seconds): seconds
        }
    }
}

/// One window to come of a day, with its place in the occasion's key.
struct PlannedSlot: Sendable, Hashable {
    var index: Int
    var opening: NominalOpening
    var slot: Slot
}

extension Slot {
    /// How many windows it makes a day; bounded, whatever the definition says.
    var windowCount: Int {
        if case .random(_, _, let count, _) = opening { return min(max(count, 0), Self.maximumRandomCount) }
        return 1
    }

    static let maximumRandomCount = 100

    /// The windows of this slot on one day.
    /// - Parameter draw: makes the source of randomness; asked for only where the slot is random.
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
            return moments.enumerated().map { offset, moment in
                PlannedSlot(index: firstIndex + offset, opening: .clock(moment), slot: self)
            }
        }
    }

    /// k sorted uniform draws on what the gaps leave of the span, each moved by the gaps before it. A `to` at
    /// or before `from` is on the next day. Both ends are possible.
    private static func randomMoments(
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

    /// Lengths are bounded so that no definition, however hostile, can overflow the calendar.
    static func bounded(_ seconds: Int) -> Int {
        min(max(seconds, 0), maximumLength)
    }

    /// 400 days.
    static let maximumLength = 400 * 86_400
}
