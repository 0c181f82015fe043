/// A period in which a participant's adherence is below the study's threshold. It begins when the percentage falls
/// below the threshold, so that researchers are alerted once per crossing.
package struct LowAdherence: Sendable, Hashable {
    /// The instant at which the percentage fell below the threshold.
    package var from: Instant
    /// The instant at which the threshold was reached again. Nil while adherence is low.
    package var to: Instant?

    /// Minimum number of settled occasions. With fewer, adherence is not considered low.
    package static let minimumSettled = 5

    /// The periods up to an instant, in order.
    /// - Parameter percent: adherence is low while 100 × completed / settled is below this threshold.
    package static func periods(of occasions: [Occasion], below percent: Int, until now: Instant)
        -> [LowAdherence]
    {
        let settled = occasions.compactMap { occasion -> (at: Instant, completed: Bool)? in
            if occasion.isAnswered { return (occasion.completedAt ?? occasion.window.dueAt, true) }
            return occasion.exclusion == nil ? (occasion.window.closeAt, false) : nil
        }.filter { $0.at <= now }.sorted { $0.at < $1.at }
        var periods: [LowAdherence] = []
        var completed = 0
        for (index, occasion) in settled.enumerated() {
            completed += occasion.completed ? 1 : 0
            // All occasions that are settled at the same instant count together.
            if index + 1 < settled.count, settled[index + 1].at == occasion.at { continue }
            let count = index + 1
            let isLow = count >= minimumSettled && completed * 100 < percent * count
            let isOngoing = periods.last.map { $0.to == nil } ?? false
            if isLow, !isOngoing { periods.append(LowAdherence(from: occasion.at, to: nil)) }
            if !isLow, isOngoing { periods[periods.count - 1].to = occasion.at }
        }
        return periods
    }
}
