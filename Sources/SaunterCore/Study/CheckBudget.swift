/// How much a check may look at: windows and days, never time, so that it finds the same on every machine.
struct CheckBudget: Sendable {
    private(set) var left: Int

    init(_ left: Int) { self.left = left }

    /// Nothing is left where it costs more than there is.
    mutating func spend(_ cost: Int) { left = max(0, left - cost) }

    /// What one of so many things may spend that share alike in what is left. `settle` gives back what it does not need, for those after it.
    mutating func part(among count: Int) -> CheckBudget {
        let part = CheckBudget(left / max(count, 1))
        left -= part.left
        return part
    }

    mutating func settle(_ part: CheckBudget) { left += part.left }
}
