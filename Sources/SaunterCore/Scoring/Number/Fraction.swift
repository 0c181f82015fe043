/// An exact quotient of whole numbers, reduced, so that a mean of 2.675 is a tie and 0.1 + 0.2 is 0.3. Every
/// operation gives nil instead of overflowing.
struct Fraction: Sendable, Hashable {
    let numerator: Int128
    /// At least 1.
    let denominator: Int128

    private init(reduced numerator: Int128, _ denominator: Int128) {
        self.numerator = numerator
        self.denominator = denominator
    }

    init(_ whole: Int) {
        self.init(reduced: Int128(whole), 1)
    }

    /// Nil for a denominator of 0, and for numbers at the very edge of 128 bits.
    init?(_ numerator: Int128, over denominator: Int128) {
        guard denominator != 0, numerator != .min, denominator != .min else { return nil }
        let divisor = Self.greatestCommonDivisor(numerator.magnitude, denominator.magnitude)
        let sign: Int128 = denominator < 0 ? -1 : 1
        self.init(reduced: sign * numerator / Int128(divisor), sign * denominator / Int128(divisor))
    }

    /// The decimal number that a double is written as: 0.1 is one tenth. Nil beyond 18 places or digits.
    init?(decimal value: Double) {
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

    /// The nearest double, where numerator and denominator are below 2^53; else within its last digit.
    var double: Double { Self.double(numerator) / Self.double(denominator) }

    /// Of a word by the processor; 128 bits go the long way.
    private static func double(_ whole: Int128) -> Double {
        Int64(exactly: whole).map { Double($0) } ?? Double(whole)
    }

    func plus(_ other: Fraction) -> Fraction? {
        if denominator == 1, other.denominator == 1 {
            let (sum, overflow) = numerator.addingReportingOverflow(other.numerator)
            return overflow ? nil : Fraction(reduced: sum, 1)
        }
        let (left, first) = numerator.multipliedReportingOverflow(by: other.denominator)
        let (right, second) = other.numerator.multipliedReportingOverflow(by: denominator)
        let (sum, third) = left.addingReportingOverflow(right)
        let (below, fourth) = denominator.multipliedReportingOverflow(by: other.denominator)
        return first || second || third || fourth ? nil : Fraction(sum, over: below)
    }

    func times(_ other: Fraction) -> Fraction? {
        let (above, first) = numerator.multipliedReportingOverflow(by: other.numerator)
        if denominator == 1, other.denominator == 1 { return first ? nil : Fraction(reduced: above, 1) }
        let (below, second) = denominator.multipliedReportingOverflow(by: other.denominator)
        return first || second ? nil : Fraction(above, over: below)
    }

    /// Nil when the two cannot be compared within 128 bits.
    func isLess(than other: Fraction) -> Bool? {
        if denominator == other.denominator { return numerator < other.numerator }
        let (left, first) = numerator.multipliedReportingOverflow(by: other.denominator)
        let (right, second) = other.numerator.multipliedReportingOverflow(by: denominator)
        return first || second ? nil : left < right
    }

    /// The greatest whole number that is not above it.
    var floor: Fraction {
        let (quotient, remainder) = numerator.quotientAndRemainder(dividingBy: denominator)
        return Fraction(reduced: remainder < 0 ? quotient - 1 : quotient, 1)
    }

    /// The greatest number of which both are whole multiples; of 0 and a number, that number.
    func commonMeasure(with other: Fraction) -> Fraction? {
        let (left, first) = numerator.multipliedReportingOverflow(by: other.denominator)
        let (right, second) = other.numerator.multipliedReportingOverflow(by: denominator)
        let (below, third) = denominator.multipliedReportingOverflow(by: other.denominator)
        guard !first, !second, !third else { return nil }
        if left == 0, right == 0 { return Fraction(0) }
        let measure = Self.greatestCommonDivisor(left.magnitude, right.magnitude)
        return Int128(exactly: measure).flatMap { Fraction($0, over: below) }
    }

    func rounded(_ rounding: Rounding) -> Fraction? {
        let unit = Self.power(ofTen: min(max(rounding.places, 0), 9))
        let (scaled, overflow) = numerator.multipliedReportingOverflow(by: unit)
        guard !overflow, scaled != .min else { return nil }
        let (quotient, remainder) = scaled.magnitude.quotientAndRemainder(dividingBy: denominator.magnitude)
        let rest = remainder.multipliedReportingOverflow(by: 2)
        guard !rest.overflow else { return nil }
        let goesUp =
            switch rounding.mode {
            case .up: remainder > 0
            case .down: false
            case .halfUp: rest.partialValue >= denominator.magnitude
            case .halfEven:
                rest.partialValue > denominator.magnitude
                    || rest.partialValue == denominator.magnitude && quotient % 2 == 1
            }
        let size = Int128(quotient + (goesUp ? 1 : 0))
        return Fraction(numerator < 0 ? -size : size, over: unit)
    }

    /// 10^n for n of 0 to 18.
    private static func power(ofTen exponent: Int) -> Int128 {
        (0..<exponent).reduce(1) { power, _ in power * 10 }
    }

    /// Euclid's; 1 where both are 0.
    private static func greatestCommonDivisor(_ left: UInt128, _ right: UInt128) -> UInt128 {
        if right == 1 { return 1 }
        var (left, right) = (left, right)
        while right != 0 { (left, right) = (right, left % right) }
        return max(left, 1)
    }
}
