/// The descriptive statistics of one column of numbers.
package struct DescriptiveStatistics: Sendable, Hashable {
    /// The number of known values.
    package let count: Int
    /// The number of missing values.
    package let missingCount: Int
    /// The arithmetic mean of the known values.
    package let mean: Estimate<Double>
    /// The standard deviation with n − 1.
    package let deviation: Estimate<Double>
    /// The smallest value; nil if there are no values, or if a value is not finite.
    package let minimum: Double?
    /// The largest value; nil if there are no values, or if a value is not finite.
    package let maximum: Double?
    /// m₃/s³ with s by n − 1: type 3 of Joanes and Gill (1998), the result of R's psych and e1071.
    package let skew: Estimate<Double>
    /// The share (0 to 1) of values at the lowest possible value.
    package let floor: Estimate<Double>
    /// The share (0 to 1) of values at the highest possible value.
    package let ceiling: Estimate<Double>

    /// - Parameter range: the lowest and the highest possible value; nil if they are not known.
    package init(_ column: [Double?], range: ClosedRange<Double>? = nil) {
        let values = column.compactMap(\.self)
        count = values.count
        missingCount = column.count - values.count
        let isFinite = values.allSatisfy(\.isFinite)
        minimum = isFinite ? values.min() : nil
        maximum = isFinite ? values.max() : nil
        mean = Estimate { () throws(UndefinedStatistic) in
            guard !values.isEmpty else { throw .noValues }
            return try Moments.mean(values).finite()
        }
        let deviation = Estimate { () throws(UndefinedStatistic) in try Self.deviation(values) }
        self.deviation = deviation
        skew = Estimate { () throws(UndefinedStatistic) in
            let deviation = try deviation.get()
            guard deviation > 0 else { throw .noVariation }
            let cube = deviation * deviation * deviation
            return try (Moments.centralSum(values, power: 3) / (Double(values.count) * cube)).finite()
        }
        func share(_ end: Double?) throws(UndefinedStatistic) -> Double {
            guard !values.isEmpty else { throw .noValues }
            guard isFinite else { throw .notFinite }
            guard let end else { throw .noRange }
            return Double(values.count { $0 == end }) / Double(values.count)
        }
        floor = Estimate { () throws(UndefinedStatistic) in try share(range?.lowerBound) }
        ceiling = Estimate { () throws(UndefinedStatistic) in try share(range?.upperBound) }
    }

    private static func deviation(_ values: [Double]) throws(UndefinedStatistic) -> Double {
        guard !values.isEmpty else { throw .noValues }
        guard values.count > 1 else { throw .tooFewValues }
        return try (Moments.crossProducts(values, values) / Double(values.count - 1)).squareRoot().finite()
    }
}
