/// A spell in which somebody's adherence was below what their study is content with. It begins when the percentage
/// falls below, so that each crossing is told once.
package struct LowAdherence: Sendable, Hashable {
    package var from: Instant
    /// When the percentage was reached again; nil while it is not.
    package var to: Instant?

    /// Fewer settled occasions than these say nothing.
    package static let leastSettled = 5

    /// The spells up to a moment, in order.
    /// - Parameter percent: adherence is low while 100 × completed / settled is below it.
    package static func spells(of occasions: [Occasion], below percent: Int, until now: Instant)
        -> [LowAdherence]
    {
        let settled = occasions.compactMap { occasion -> (at: Instant, completed: Bool)? in
            if occasion.isAnswered { return (occasion.completedAt ?? occasion.window.dueAt, true) }
            return occasion.setAside == nil ? (occasion.window.closeAt, false) : nil
        }.filter { $0.at <= now }.sorted { $0.at < $1.at }
        var spells: [LowAdherence] = []
        var completed = 0
        for (index, one) in settled.enumerated() {
            completed += one.completed ? 1 : 0
            // What is settled at one moment counts together.
            if index + 1 < settled.count, settled[index + 1].at == one.at { continue }
            let count = index + 1
            let isLow = count >= leastSettled && completed * 100 < percent * count
            let isLasting = spells.last.map { $0.to == nil } ?? false
            if isLow, !isLasting { spells.append(LowAdherence(from: one.at, to: nil)) }
            if !isLow, isLasting { spells[spells.count - 1].to = one.at }
        }
        return spells
    }
}
