/// An exact, reduced fraction, so that 0.1 + 0.2 is 0.3 and a mean of 2.675 is a tie when it is rounded. Operations
/// return nil on overflow.
package struct Fraction: Sendable, Hashable {
    /// Has the sign of the fraction.
    package let numerator: Int128
    /// At least 1.
    package let denominator: Int128

    private init(reduced numerator: Int128, _ denominator: Int128) {
        self.numerator = numerator
        self.denominator = denominator
    }

    /// Creates a whole number.
    package init(_ whole: Int) {
        self.init(reduced: Int128(whole), 1)
    }

    /// Returns nil if the denominator is 0, and if one of the numbers is `Int128.min`.
    package init?(_ numerator: Int128, over denominator: Int128) {
        guard denominator != 0, numerator != .min, denominator != .min else { return nil }
        let divisor = Self.greatestCommonDivisor(numerator.magnitude, denominator.magnitude)
        let sign: Int128 = denominator < 0 ? -1 : 1
        self.init(reduced: sign * numerator / Int128(divisor), sign * denominator / Int128(divisor))
    }

    /// The decimal number that the double is written as: 0.1 is one tenth. Returns nil for more than 18 decimal places
    /// or digits.
    package init?(decimal value: Double) {
        if let whole = Int(exactly: value) {
            self.init(whole)
            return
        }
        guard value.isFinite else { return nil }
        let decimal = JSONNumber(value).decimalDigits
        guard decimal.exponent < 0, decimal.exponent >= -18, decimal.digits.count <= 18 else { return nil }
        let digits = decimal.digits.reduce(Int128(0)) { $0 * 10 + Int128($1 - UInt8(ascii: "0")) }
        self.init(decimal.isNegative ? -digits : digits, over: Self.power(ofTen: -decimal.exponent))
    }

    /// The nearest double if numerator and denominator are below 2^53. Otherwise the last digit can be wrong.
    package var double: Double { Self.double(numerator) / Self.double(denominator) }

    /// Uses the 64-bit conversion of the processor if possible, because the 128-bit conversion is slow.
    private static func double(_ whole: Int128) -> Double {
        Int64(exactly: whole).map { Double($0) } ?? Double(whole)
    }

    /// The exact sum; nil on overflow.
    package func plus(_ other: Fraction) -> Fraction? {
        if denominator == 1, other.denominator == 1 {
            let (sum, overflow) = numerator.addingReportingOverflow(other.numerator)
            return overflow ? nil : Fraction(reduced: sum, 1)
        }
        let (left, first) = numerator.multipliedReportingOverflow(by: other.denominator)
        let (right, second) = other.numerator.multipliedReportingOverflow(by: denominator)
        let (sum, third) = left.addingReportingOverflow(right)
        let (newDenominator, fourth) = denominator.multipliedReportingOverflow(by: other.denominator)
        return first || second || third || fourth ? nil : Fraction(sum, over: newDenominator)
    }

    /// The exact product; nil on overflow.
    package func times(_ other: Fraction) -> Fraction? {
        let (newNumerator, first) = numerator.multipliedReportingOverflow(by: other.numerator)
        if denominator == 1, other.denominator == 1 {
            return first ? nil : Fraction(reduced: newNumerator, 1)
        }
        let (newDenominator, second) = denominator.multipliedReportingOverflow(by: other.denominator)
        return first || second ? nil : Fraction(newNumerator, over: newDenominator)
    }

    /// Returns nil if the comparison needs more than 128 bits.
    func isLess(than other: Fraction) -> Bool? {
        if denominator == other.denominator { return numerator < other.numerator }
        let (left, first) = numerator.multipliedReportingOverflow(by: other.denominator)
        let (right, second) = other.numerator.multipliedReportingOverflow(by: denominator)
        return first || second ? nil : left < right
    }

    /// The greatest whole number that is not greater than the fraction.
    var floor: Fraction {
        let (quotient, remainder) = numerator.quotientAndRemainder(dividingBy: denominator)
        return Fraction(reduced: remainder < 0 ? quotient - 1 : quotient, 1)
    }

    /// The greatest number of which both fractions are whole multiples. If one fraction is 0, it is the other
    /// fraction.
    func commonMeasure(with other: Fraction) -> Fraction? {
        let (left, first) = numerator.multipliedReportingOverflow(by: other.denominator)
        let (right, second) = other.numerator.multipliedReportingOverflow(by: denominator)
        let (newDenominator, third) = denominator.multipliedReportingOverflow(by: other.denominator)
        guard !first, !second, !third else { return nil }
        if left == 0, right == 0 { return Fraction(0) }
        let measure = Self.greatestCommonDivisor(left.magnitude, right.magnitude)
        return Int128(exactly: measure).flatMap { Fraction($0, over: newDenominator) }
    }

    func rounded(_ rounding: Rounding) -> Fraction? {
        let unit = Self.power(ofTen: min(max(rounding.places, 0), 9))
        let (scaled, overflow) = numerator.multipliedReportingOverflow(by: unit)
        guard !overflow, scaled != .min else { return nil }
        let (quotient, remainder) = scaled.magnitude.quotientAndRemainder(dividingBy: denominator.magnitude)
        let rest = remainder.multipliedReportingOverflow(by: 2)
        guard !rest.overflow else { return nil }
        let roundsUp =
            switch rounding.mode {
            case .up: remainder > 0
            case .down: false
            case .halfUp: rest.partialValue >= denominator.magnitude
            case .halfEven:
                rest.partialValue > denominator.magnitude
                    || rest.partialValue == denominator.magnitude && quotient % 2 == 1
            }
        let size = Int128(quotient + (roundsUp ? 1 : 0))
        return Fraction(numerator < 0 ? -size : size, over: unit)
    }

    /// 10^exponent for exponents from 0 to 18.
    private static func power(ofTen exponent: Int) -> Int128 {
        (0..<exponent).reduce(1) { power, _ in power * 10 }
    }

    /// Euclid's algorithm. Returns 1 if both numbers are 0.
    private static func greatestCommonDivisor(_ left: UInt128, _ right: UInt128) -> UInt128 {
        if right == 1 { return 1 }
        var (left, right) = (left, right)
        while right != 0 { (left, right) = (right, left % right) }
        return max(left, 1)
    }
}
