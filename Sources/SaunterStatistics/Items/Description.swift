/// What a reader wants to know of one column of numbers first.
package struct Description: Sendable, Hashable {
    /// Values that are there, and those that are not.
    package let count: Int
    package let missing: Int
    package let mean: Estimate<Double>
    /// With n − 1.
    package let deviation: Estimate<Double>
    package let minimum: Double?
    package let maximum: Double?
    /// m₃/s³ with s by n − 1: type 3 of Joanes and Gill (1998), what R's psych and e1071 give.
    package let skew: Estimate<Double>
    /// Shares, from 0 to 1, of values at the lowest and highest possible one.
    package let floor: Estimate<Double>
    package let ceiling: Estimate<Double>

    /// - Parameter range: lowest and highest possible value; nil when nobody knows.
    package init(_ column: [Double?], range: ClosedRange<Double>? = nil) {
        let values = column.compactMap(\.self)
        count = values.count
        missing = column.count - values.count
        let isFinite = values.allSatisfy(\.isFinite)
        minimum = isFinite ? values.min() : nil
        maximum = isFinite ? values.max() : nil
        mean = Estimate { () throws(Gap) in
            guard !values.isEmpty else { throw .noValues }
            return try Moments.mean(values).finite()
        }
        let deviation = Estimate { () throws(Gap) in try Self.deviation(values) }
        self.deviation = deviation
        skew = Estimate { () throws(Gap) in
            let deviation = try deviation.get()
            guard deviation > 0 else { throw .noVariation }
            let cube = deviation * deviation * deviation
            return try (Moments.centralSum(values, power: 3) / (Double(values.count) * cube)).finite()
        }
        func share(_ end: Double?) throws(Gap) -> Double {
            guard !values.isEmpty else { throw .noValues }
            guard isFinite else { throw .notFinite }
            guard let end else { throw .noRange }
            return Double(values.count { $0 == end }) / Double(values.count)
        }
        floor = Estimate { () throws(Gap) in try share(range?.lowerBound) }
        ceiling = Estimate { () throws(Gap) in try share(range?.upperBound) }
    }

    private static func deviation(_ values: [Double]) throws(Gap) -> Double {
        guard !values.isEmpty else { throw .noValues }
        guard values.count > 1 else { throw .tooFewValues }
        return try (Moments.crossProducts(values, values) / Double(values.count - 1)).squareRoot().finite()
    }
}
