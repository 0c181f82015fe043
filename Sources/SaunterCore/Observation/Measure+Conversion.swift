extension Measure {
    /// The same amount in another unit; nil where the two cannot be compared, and where no decimal number is exactly that
    /// amount: 30 min are 0.5 h, but 20 min are none.
    package func exactly(in other: String) -> Measure? {
        if unit == other { return self }
        return UCUMScale.number(of: self, in: other).map { Measure(value: $0, unit: other) }
    }
}
