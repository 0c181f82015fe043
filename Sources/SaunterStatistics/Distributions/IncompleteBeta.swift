import Foundation

/// The regularised incomplete beta function.
enum IncompleteBeta {
    /// The maximum number of steps of the continued fraction. It needs about as many steps as the square root of the
    /// larger parameter.
    private static let maximumSteps = 200_000

    /// I_x(a, b) and 1 − I_x(a, b). The smaller one has full relative precision.
    ///
    /// The method is the continued fraction of DLMF 8.17.22, on the side on which it converges fast, times
    /// xᵃ·(1−x)ᵇ/B(a, b) in Loader's form, which does not lose digits for large a and b.
    /// - Parameters:
    ///   - x: between 0 and 1.
    ///   - y: 1 − x. It is a separate parameter because a subtraction would lose digits.
    /// - Returns: nil if it does not converge.
    static func tails(x: Double, y: Double, a: Double, b: Double) -> (lower: Double, upper: Double)? {
        guard x > 0 else { return (0, 1) }
        guard y > 0 else { return (1, 0) }
        let front = power(x, y, a, b)
        if x < (a + 1) / (a + b + 2) {
            guard let fraction = continuedFraction(x, a, b) else { return nil }
            let lower = front * fraction / a
            return (lower, 1 - lower)
        }
        guard let fraction = continuedFraction(y, b, a) else { return nil }
        let upper = front * fraction / b
        return (1 - upper, upper)
    }

    /// xᵃ·yᵇ/B(a, b).
    private static func power(_ x: Double, _ y: Double, _ a: Double, _ b: Double) -> Double {
        let sum = a + b
        let exponent =
            stirlingError(sum) - stirlingError(a) - stirlingError(b) - deviance(a, sum * x)
            - deviance(b, sum * y)
        return exp(exponent) * (a * b / (2 * .pi * sum)).squareRoot()
    }

    /// ln Γ(z+1) − (½·ln(2πz) + z·ln z − z).
    private static func stirlingError(_ z: Double) -> Double {
        guard z >= 10 else { return log(tgamma(z + 1)) - 0.5 * log(2 * .pi * z) - z * log(z) + z }
        let square = z * z
        let series =
            1.0 / 12
            - (1.0 / 360 - (1.0 / 1260 - (1.0 / 1680 - (1.0 / 1188) / square) / square) / square) / square
        return series / z
    }

    /// x·ln(x/m) + m − x. If x is near m, the sum would lose digits, so its series is used.
    private static func deviance(_ x: Double, _ m: Double) -> Double {
        let ratio = (x - m) / (x + m)
        guard ratio.magnitude < 0.1 else { return x * log(x / m) + m - x }
        var sum = (x - m) * ratio
        var power = 2 * x * ratio
        var odd = 1.0
        while true {
            power *= ratio * ratio
            odd += 2
            let next = sum + power / odd
            // Each step reduces the difference at least by a factor of 100, so the loop ends.
            if next == sum { return sum }
            sum = next
        }
    }

    /// The fraction 1/(1 + d₁/(1 + d₂/(1 + …))), by the modified Lentz method. Nil if it does not converge.
    private static func continuedFraction(_ x: Double, _ a: Double, _ b: Double) -> Double? {
        func coefficient(_ step: Int) -> Double {
            let m = Double(step / 2)
            let shifted = a + 2 * m
            return step % 2 == 0
                ? m * (b - m) * x / ((shifted - 1) * shifted)
                : -(a + m) * (a + b + m) * x / (shifted * (shifted + 1))
        }
        func nonzero(_ value: Double) -> Double { value.magnitude < 1e-300 ? 1e-300 : value }
        var numerator = 1.0
        var denominator = 0.0
        var fraction = 1.0
        for step in 1...maximumSteps {
            let next = coefficient(step)
            denominator = 1 / nonzero(1 + next * denominator)
            numerator = nonzero(1 + next / numerator)
            let factor = numerator * denominator
            fraction *= factor
            if (factor - 1).magnitude < 2e-16 { return 1 / fraction }
        }
        return nil
    }
}
