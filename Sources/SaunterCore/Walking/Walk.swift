/// One walking session as uploaded by a device. An instance is always valid: its pauses are inside the walk and do not
/// overlap, and its series are consistent.
package struct Walk: Sendable, Hashable {
    /// By the device's clock, uncorrected.
    package let startedAt: Instant
    /// After the start, by the device's clock, uncorrected.
    package let endedAt: Instant
    /// Sorted, not overlapping, not empty.
    package let pauses: [WalkPause]
    /// What the device reported for the complete walk; nil if it reported nothing.
    package let totals: WalkTotals?
    /// The samples; nil if the device sent none.
    package let series: WalkSeries?

    /// 24 hours. Longer walks are usually caused by a device that was not stopped.
    package static let maximumLengthMs: Int64 = 86_400_000
    /// Maximum number of pauses in an upload.
    package static let maximumPauses = 10_000

    /// Validates a walk and reports at most 100 faults. Equal pauses become one pause, adjacent pauses are joined, and
    /// empty pauses are dropped.
    /// - Parameter pointer: JSON pointer of the walk in the request body, for the pointers of the faults.
    package init(
        startedAt: Instant, endedAt: Instant, pauses: [WalkPause] = [], totals: WalkTotals? = nil,
        series: WalkSeries? = nil, pointer: String = ""
    ) throws(Faults) {
        var faults = FaultCollector(limit: FaultCollector.maximumRecordCount)
        let length = endedAt.milliseconds(since: startedAt)
        if length <= 0 {
            faults.add("\(pointer)/ended_at", "ends_before_start", "The walk must end after it starts.")
        } else if length > Self.maximumLengthMs {
            faults.add("\(pointer)/ended_at", "too_long", "A walk lasts at most 24 hours.")
        }
        let within = startedAt...max(startedAt, endedAt)
        let merged = WalkPause.merged(pauses, within: within, pointer: "\(pointer)/pauses", faults: &faults)
        totals?.check(pointer: "\(pointer)/totals", faults: &faults)
        series?.check(lengthMs: max(0, length), pointer: "\(pointer)/series", faults: &faults)
        try faults.check()
        self.startedAt = startedAt
        self.endedAt = endedAt
        self.pauses = merged
        self.totals = totals
        self.series = series
    }
}
