/// The work that a check may still do, in visited windows and days. It is not measured in time, so that the result is
/// the same on every machine.
struct WorkBudget: Sendable {
    private(set) var remaining: Int

    init(_ remaining: Int) { self.remaining = remaining }

    /// If the cost exceeds the remaining budget, nothing remains.
    mutating func spend(_ cost: Int) { remaining = max(0, remaining - cost) }

    /// Takes an equal share of the budget for one of `count` tasks. The task returns the unused part with `refund`,
    /// so that later tasks can use it.
    mutating func takeShare(among count: Int) -> WorkBudget {
        let share = WorkBudget(remaining / max(count, 1))
        remaining -= share.remaining
        return share
    }

    mutating func refund(_ part: WorkBudget) { remaining += part.remaining }
}
