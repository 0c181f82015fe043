/// One slot of a schedule. All its windows open at the same time of day.
struct WindowStream: Sendable {
    /// Positions in `Study.schedules` and in the schedule's slots.
    let schedule: Int
    let slot: Int
    /// Days from the schedule's day to the day of the opening.
    let carry: Int
    /// Seconds since 00:00 of that day.
    let open: Int
    /// Seconds. For a random slot: the complete span in which its windows may be.
    let length: Int

    /// - Parameter span: seconds since 00:00 of the schedule's day.
    init(schedule: Int, slot: Int, span: Range<Int>) {
        self.schedule = schedule
        self.slot = slot
        carry = span.lowerBound / 86_400
        open = span.lowerBound % 86_400
        length = span.count
    }
}

/// A window on a calendar in which every day has 24 hours: its slot and the schedule's day.
struct NominalWindow: Sendable, Hashable {
    var schedule: Int
    var slot: Int
    var day: Int
}

/// Visits windows in the order of their opening, day by day and without sorting all of them. Each window is visited
/// once.
struct WindowSweep {
    /// Sorted by time of day, with the days of their openings. Streams without days are left out.
    private let streams: [(stream: WindowStream, days: NominalDays)]

    /// The overlaps that were found, and how far the sweep came.
    struct Outcome {
        /// The first two overlapping windows of each pair of slots, the earlier one first. At most as many as faults
        /// are collected.
        var overlaps: [(NominalWindow, NominalWindow)] = []
        /// Whether some days were not visited. Then `lastDay` is the last visited day, or nil if there is none.
        var isIncomplete = false
        var lastDay: Int?
    }

    /// - Parameters:
    ///   - streams: sorted by time of day, then by length and position.
    ///   - days: position of a schedule -> its days.
    init(_ streams: [WindowStream], days: [Int: NominalDays]) {
        self.streams = streams.compactMap { stream -> (stream: WindowStream, days: NominalDays)? in
            guard var openingDays = days[stream.schedule], openingDays.count > 0 else { return nil }
            openingDays.origin += stream.carry
            return (stream, openingDays)
        }
    }

    /// Finds overlapping windows.
    /// - Parameter budget: each window and each day costs 1. If the budget is too small, only the first days are
    ///   visited.
    func overlaps(_ budget: inout WorkBudget) -> Outcome {
        var outcome = Outcome()
        guard let first = streams.compactMap({ $0.days.first }).min(),
            let end = streams.compactMap({ $0.days.last }).max()
        else { return outcome }
        let last = self.last(in: first...end, budget.remaining)
        budget.spend(cost(from: first, through: last))
        outcome.isIncomplete = last < end
        guard first <= last else { return outcome }
        if outcome.isIncomplete { outcome.lastDay = last }

        let (order, ends) = inOrder(first...last)
        var seen: Set<Int> = []
        var longest = (stream: 0, day: 0, end: Int.min)
        var position = 0
        for day in first...last {
            while position < ends[day - first] {
                let index = Int(order[position])
                let stream = streams[index].stream
                let start = day * 86_400 + stream.open
                if start < longest.end {
                    let (low, high) = (min(longest.stream, index), max(longest.stream, index))
                    if outcome.overlaps.count < FaultCollector.maximumCount,
                        seen.insert(low << 16 | high).inserted
                    {
                        outcome.overlaps.append((window(longest.stream, longest.day), window(index, day)))
                    }
                }
                if start + stream.length > longest.end { longest = (index, day, start + stream.length) }
                position += 1
            }
        }
        return outcome
    }

    private func window(_ index: Int, _ day: Int) -> NominalWindow {
        let stream = streams[index].stream
        return NominalWindow(schedule: stream.schedule, slot: stream.slot, day: day - stream.carry)
    }

    private func cost(from first: Int, through day: Int) -> Int {
        streams.reduce(day - first + 1) { $0 + $1.days.count(through: day) }
    }

    /// The last day that the budget covers, or the day before the first if it covers none. Binary search.
    private func last(in days: ClosedRange<Int>, _ maximumCost: Int) -> Int {
        if cost(from: days.lowerBound, through: days.upperBound) <= maximumCost { return days.upperBound }
        var (low, high) = (days.lowerBound - 1, days.upperBound)
        while high - low > 1 {
            let middle = low + (high - low) / 2
            if cost(from: days.lowerBound, through: middle) <= maximumCost {
                low = middle
            } else {
                high = middle
            }
        }
        return low
    }

    /// Indices of streams, sorted by day, and for each day the end of its part in this list. Counting sort.
    private func inOrder(_ days: ClosedRange<Int>) -> (order: [UInt16], ends: [Int]) {
        let daysByStream = streams.map { $0.days.within(days) }
        // First the start of each day's part. Filling the list moves each start to the end of the part.
        var positions = Array(repeating: 0, count: days.count + 1)
        for list in daysByStream {
            let shift = list.origin - days.lowerBound + 1
            for number in list.numbers { positions[number + shift] += 1 }
        }
        for day in 1...days.count { positions[day] += positions[day - 1] }
        var order = Array(repeating: UInt16(0), count: positions[days.count])
        for (index, list) in daysByStream.enumerated() {
            let shift = list.origin - days.lowerBound
            for number in list.numbers {
                order[positions[number + shift]] = UInt16(truncatingIfNeeded: index)
                positions[number + shift] += 1
            }
        }
        return (order, positions)
    }
}
