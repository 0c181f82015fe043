/// Sums over columns of numbers without missing values. They use two passes, so a large mean does not reduce the
/// precision of the deviations.
enum Moments {
    /// The mean of a column that is not empty. Exact if all values are equal.
    static func mean(_ values: some Collection<Double>) -> Double {
        guard let first = values.first, values.contains(where: { $0 != first }) else {
            return values.first ?? .nan
        }
        let count = Double(values.count)
        let estimate = values.reduce(0, +) / count
        return estimate + values.reduce(0) { $0 + ($1 - estimate) } / count
    }

    /// The sum of the products of the deviations from both means. Both columns must have the same length.
    static func crossProducts(_ left: some Collection<Double>, _ right: some Collection<Double>) -> Double {
        let leftMean = mean(left)
        let rightMean = mean(right)
        return zip(left, right).reduce(0) { $0 + ($1.0 - leftMean) * ($1.1 - rightMean) }
    }

    /// The sum of the powers of the deviations from the mean.
    static func centralSum(_ values: some Collection<Double>, power: Int) -> Double {
        let mean = mean(values)
        return values.reduce(0) { sum, value in
            var product = 1.0
            for _ in 0..<max(0, power) { product *= value - mean }
            return sum + product
        }
    }

    /// Pearson's r.
    /// - Throws: `.lengthsDiffer`; `.tooFewValues` for fewer than two values; `.noVariation`; `.notFinite`.
    static func correlation(_ left: [Double], _ right: [Double]) throws(UndefinedStatistic) -> Double {
        guard left.count == right.count else { throw .lengthsDiffer }
        guard left.count > 1 else { throw .tooFewValues }
        let leftSquares = crossProducts(left, left)
        let rightSquares = crossProducts(right, right)
        guard leftSquares != 0, rightSquares != 0 else { throw .noVariation }
        let r = crossProducts(left, right) / (leftSquares.squareRoot() * rightSquares.squareRoot())
        return min(1, max(-1, try r.finite()))
    }
}
