import Foundation

/// Fisher's F distribution. The precision is ten digits for up to 1e8 degrees of freedom. Above that, one digit is
/// lost with each power of ten.
package struct FDistribution: Sendable {
    private let numerator: Double
    private let denominator: Double

    /// Returns nil unless both degrees of freedom are positive, finite and at most 1e12.
    package init?(_ numerator: Double, _ denominator: Double) {
        guard numerator > 0, denominator > 0, numerator <= 1e12, denominator <= 1e12 else { return nil }
        self.numerator = numerator
        self.denominator = denominator
    }

    /// The probabilities of a value up to `f` and of a greater value. Nil if the computation does not converge.
    package func tails(_ f: Double) -> (lower: Double, upper: Double)? {
        guard f > 0 else { return (0, 1) }
        guard f.isFinite else { return (1, 0) }
        let ratio = f * numerator / denominator
        // x = ratio/(1+ratio) and 1−x = 1/(1+ratio) avoid a subtraction, which would lose digits.
        let y = 1 / (1 + ratio)
        let x = 1 / (1 + 1 / ratio)
        return IncompleteBeta.tails(x: x, y: y, a: numerator / 2, b: denominator / 2)
    }

    /// The value that is not exceeded with this probability. The search is a bisection of its logarithm that compares
    /// the smaller tail.
    /// - Throws: `.notFinite` if the probability is not between 0 and 1; `.noConvergence`.
    package func quantile(_ probability: Double) throws(UndefinedStatistic) -> Double {
        guard probability > 0, probability < 1 else { throw .notFinite }
        func isBelow(_ logarithm: Double) throws(UndefinedStatistic) -> Bool {
            guard let tails = tails(exp(logarithm)) else { throw .noConvergence }
            return probability <= 0.5 ? tails.lower < probability : tails.upper > 1 - probability
        }
        var low = -1.0
        while try isBelow(low) == false {
            guard low > -700 else { throw .noConvergence }
            low *= 2
        }
        var high = 1.0
        while try isBelow(high) {
            guard high < 700 else { throw .noConvergence }
            high *= 2
        }
        while true {
            let middle = low + (high - low) / 2
            guard middle > low, middle < high, high - low > 1e-16 else { return exp(middle) }
            if try isBelow(middle) { low = middle } else { high = middle }
        }
    }
}
