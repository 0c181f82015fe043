import Foundation

/// The variance between and within people, from a model with only an intercept that varies between people (null model),
/// fitted by restricted maximum likelihood. People can have different numbers of values. It is equal to
/// `nlme::lme(value ~ 1, random = ~ 1 | person)` in R.
package struct NullModel: Sendable, Hashable {
    /// The variance of the people's true means.
    package let between: Double
    /// The variance of a person's values around the true mean.
    package let within: Double
    /// The share of the variance that is between people.
    package let intraclassCorrelation: Double
    /// The number of values of all people.
    package let valueCount: Int

    private static let gridSize = 200
    /// The number of steps of the golden-section search.
    private static let searchSteps = 100

    /// - Parameter people: the values of each person.
    /// - Throws: `.noValues`; `.tooFewValues` for fewer than two people, or if no person has two values;
    ///   `.noVariation`; `.notFinite`.
    package init(_ people: [[Double]]) throws(UndefinedStatistic) {
        let people = people.filter { !$0.isEmpty }
        guard !people.isEmpty else { throw .noValues }
        guard people.count > 1, people.contains(where: { $0.count > 1 }) else { throw .tooFewValues }
        guard people.allSatisfy({ $0.allSatisfy(\.isFinite) }) else { throw .notFinite }
        let sums = Sums(people)
        guard sums.squaresWithin > 0 || Set(sums.means).count > 1 else { throw .noVariation }
        let share = sums.squaresWithin > 0 ? Self.share(sums) : 1
        let total = share < 1 ? sums.varianceWithin(share) / (1 - share) : Self.variance(sums.means)
        between = try (total * share).finite()
        within = try (total * (1 - share)).finite()
        intraclassCorrelation = share
        valueCount = sums.valueCount
    }

    /// The share between people with the greatest likelihood: the best point of a grid, then a golden-section search
    /// around it.
    private static func share(_ sums: Sums) -> Double {
        let grid = (0..<gridSize).map { Double($0) / Double(gridSize) }
        let deviances = grid.map(sums.deviance)
        let best = deviances.indices.min { deviances[$0] < deviances[$1] } ?? 0
        var low = best > 0 ? grid[best - 1] : 0
        var high = best + 1 < gridSize ? grid[best + 1] : 1 - 1e-12
        let ratio = (5.0.squareRoot() - 1) / 2
        for _ in 0..<searchSteps {
            let (left, right) = (high - ratio * (high - low), low + ratio * (high - low))
            if sums.deviance(left) < sums.deviance(right) { high = right } else { low = left }
        }
        let found = (low + high) / 2
        return sums.deviance(0) <= sums.deviance(found) ? 0 : found
    }

    private static func variance(_ values: [Double]) -> Double {
        Moments.crossProducts(values, values) / Double(values.count - 1)
    }

    /// The sums and means of the values from which the likelihood is computed.
    private struct Sums {
        let counts: [Double]
        let means: [Double]
        /// The sum of squares around the means of people.
        let squaresWithin: Double
        let valueCount: Int

        init(_ people: [[Double]]) {
            counts = people.map { Double($0.count) }
            means = people.map { Moments.mean($0) }
            squaresWithin = people.reduce(0) { $0 + Moments.crossProducts($1, $1) }
            valueCount = people.reduce(0) { $0 + $1.count }
        }

        /// The variance within people if this share of the variance is between them.
        func varianceWithin(_ share: Double) -> Double { squares(share) / Double(valueCount - 1) }

        /// −2 × the restricted log-likelihood, without its constant.
        func deviance(_ share: Double) -> Double {
            let ratio = share / (1 - share)
            let logarithms = counts.reduce(0) { $0 + log(1 + ratio * $1) }
            return Double(valueCount - 1) * log(squares(share)) + logarithms
                + log(weights(share).reduce(0, +))
        }

        private func weights(_ share: Double) -> [Double] {
            let ratio = share / (1 - share)
            return counts.map { $0 / (1 + ratio * $0) }
        }

        /// The weighted sum of squares around the general mean.
        private func squares(_ share: Double) -> Double {
            let weights = weights(share)
            let mean = zip(weights, means).reduce(0) { $0 + $1.0 * $1.1 } / weights.reduce(0, +)
            return zip(weights, means).reduce(squaresWithin) { sum, person in
                sum + person.0 * (person.1 - mean) * (person.1 - mean)
            }
        }
    }
}
