/// One walking session as a device handed it in. A held walk is sound: its pauses lie in it and apart, its
/// series fit together.
package struct Walk: Sendable, Hashable {
    package let startedAt: Instant
    package let endedAt: Instant
    /// In order, apart from each other, none empty.
    package let pauses: [WalkPause]
    package let totals: WalkTotals?
    package let series: WalkSeries?

    /// A day; nobody walks longer in one session, but forgotten watches do.
    package static let maximumLengthMs: Int64 = 86_400_000
    /// Pauses of one walk, as handed in.
    package static let maximumPauses = 10_000

    /// Names every fault, up to a hundred. The same pause said twice is one pause, pauses that touch are
    /// joined, empty ones are dropped.
    /// - Parameter pointer: where the walk stands in the body, for the pointers of the faults.
    package init(
        startedAt: Instant, endedAt: Instant, pauses: [WalkPause] = [], totals: WalkTotals? = nil,
        series: WalkSeries? = nil, pointer: String = ""
    ) throws(Faults) {
        var faults = WalkFaults()
        let length = endedAt.milliseconds(since: startedAt)
        if length <= 0 {
            faults.add("\(pointer)/ended_at", "ends_before_start", "The walk must end after it starts.")
        } else if length > Self.maximumLengthMs {
            faults.add("\(pointer)/ended_at", "too_long", "A walk lasts 24 hours at most.")
        }
        let within = startedAt...max(startedAt, endedAt)
        let merged = WalkPause.merged(pauses, within: within, pointer: "\(pointer)/pauses", faults: &faults)
        totals?.check(pointer: "\(pointer)/totals", faults: &faults)
        series?.check(lengthMs: max(0, length), pointer: "\(pointer)/series", faults: &faults)
        try faults.throwAny()
        self.startedAt = startedAt
        self.endedAt = endedAt
        self.pauses = merged
        self.totals = totals
        self.series = series
    }
}
