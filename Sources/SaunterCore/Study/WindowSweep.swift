/// One slot of a schedule: its windows all open at one time of day.
struct WindowStream: Sendable {
    /// Places in `Study.schedules` and in the schedule's slots.
    let schedule: Int
    let slot: Int
    /// Days from the schedule's day to the one on which it opens.
    let carry: Int
    /// Seconds since 00:00 of that day.
    let open: Int
    /// Seconds. Of a random slot the whole span in which one of its windows may lie.
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

/// A window on an ideal wall, by the place of its slot and the schedule's day.
struct NominalWindow: Sendable, Hashable {
    var schedule: Int
    var slot: Int
    var day: Int
}

/// Goes through windows in the order in which they open, day by day, without sorting them: each is looked at once.
struct WindowSweep {
    /// With the days on which they open, in the order of their times; none without a day.
    private let streams: [(stream: WindowStream, days: NominalDays)]

    /// What was found, and how far was looked.
    struct Outcome {
        /// Of two slots the first two windows that overlap, the one that opened first before the other; so many at most as faults are told.
        var overlaps: [(NominalWindow, NominalWindow)] = []
        /// Whether some days were not looked at; then the last one that was, if any.
        var isPart = false
        var lastDay: Int?
    }

    /// - Parameters:
    ///   - streams: by the time of day, then by length and place.
    ///   - days: of each schedule, by its place.
    init(_ streams: [WindowStream], days: [Int: NominalDays]) {
        self.streams = streams.compactMap { stream -> (stream: WindowStream, days: NominalDays)? in
            guard var mine = days[stream.schedule], mine.count > 0 else { return nil }
            mine.origin += stream.carry
            return (stream, mine)
        }
    }

    /// - Parameter budget: pays for each window and each day; where it does not reach for all, the first days are looked at.
    func overlaps(_ budget: inout CheckBudget) -> Outcome {
        var outcome = Outcome()
        guard let first = streams.compactMap({ $0.days.first }).min(),
            let end = streams.compactMap({ $0.days.last }).max()
        else { return outcome }
        let last = self.last(in: first...end, budget.left)
        budget.spend(cost(from: first, through: last))
        outcome.isPart = last < end
        guard first <= last else { return outcome }
        if outcome.isPart { outcome.lastDay = last }

        let (order, ends) = inOrder(first...last)
        var seen: Set<Int> = []
        var longest = (stream: 0, day: 0, end: Int.min)
        var place = 0
        for day in first...last {
            while place < ends[day - first] {
                let index = Int(order[place])
                let stream = streams[index].stream
                let start = day * 86_400 + stream.open
                if start < longest.end {
                    let (low, high) = (min(longest.stream, index), max(longest.stream, index))
                    if outcome.overlaps.count < GatheredFaults.maximumCount,
                        seen.insert(low << 16 | high).inserted
                    {
                        outcome.overlaps.append((window(longest.stream, longest.day), window(index, day)))
                    }
                }
                if start + stream.length > longest.end { longest = (index, day, start + stream.length) }
                place += 1
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

    /// The last day up to which so much pays for; the day before the first where it does not even pay for that.
    private func last(in days: ClosedRange<Int>, _ most: Int) -> Int {
        if cost(from: days.lowerBound, through: days.upperBound) <= most { return days.upperBound }
        var (low, high) = (days.lowerBound - 1, days.upperBound)
        while high - low > 1 {
            let middle = low + (high - low) / 2
            if cost(from: days.lowerBound, through: middle) <= most { low = middle } else { high = middle }
        }
        return low
    }

    /// Places of streams, day after day, and where in them each day ends.
    private func inOrder(_ days: ClosedRange<Int>) -> (order: [UInt16], ends: [Int]) {
        let mine = streams.map { $0.days.within(days) }
        // Where each day's begin; then, as they are put there, where they end.
        var places = Array(repeating: 0, count: days.count + 1)
        for list in mine {
            let shift = list.origin - days.lowerBound + 1
            for number in list.numbers { places[number + shift] += 1 }
        }
        for day in 1...days.count { places[day] += places[day - 1] }
        var order = Array(repeating: UInt16(0), count: places[days.count])
        for (index, list) in mine.enumerated() {
            let shift = list.origin - days.lowerBound
            for number in list.numbers {
                order[places[number + shift]] = UInt16(truncatingIfNeeded: index)
                places[number + shift] += 1
            }
        }
        return (order, places)
    }
}
