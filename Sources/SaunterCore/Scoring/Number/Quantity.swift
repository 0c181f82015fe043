/// A number of the scoring engine. It is exact as long as 128 bits are enough; after that it is a double.
enum Quantity: Sendable, Hashable {
    case exact(Fraction)
    case approximate(Double)

    init(_ value: Int) {
        self = .exact(Fraction(value))
    }

    /// Interprets the double as the decimal number that it is written as.
    init(_ value: Double) {
        self = Fraction(decimal: value).map { .exact($0) } ?? .approximate(value)
    }

    static let zero = Quantity(0)

    /// The nearest double, never negative zero. Infinite or NaN only if the numbers of the key are extreme.
    var double: Double {
        let value =
            switch self {
            case .exact(let fraction): fraction.double
            case .approximate(let value): value
            }
        return value == 0 ? 0 : value
    }

    static func + (left: Quantity, right: Quantity) -> Quantity {
        if case .exact(let one) = left, case .exact(let other) = right, let sum = one.plus(other) {
            return .exact(sum)
        }
        return .approximate(left.double + right.double)
    }

    static func - (left: Quantity, right: Quantity) -> Quantity { left + right * Quantity(-1) }

    static func * (left: Quantity, right: Quantity) -> Quantity {
        if case .exact(let one) = left, case .exact(let other) = right, let product = one.times(other) {
            return .exact(product)
        }
        return .approximate(left.double * right.double)
    }

    /// Divides by a count of at least 1.
    func divided(by count: Int) -> Quantity {
        let count = max(count, 1)
        if case .exact(let dividend) = self, let part = Fraction(1, over: Int128(count)),
            let quotient = dividend.times(part)
        {
            return .exact(quotient)
        }
        return .approximate(double / Double(count))
    }

    /// Returns nil if the divisor is 0.
    func divided(by divisor: Quantity) -> Quantity? {
        if case .exact(let dividend) = self, case .exact(let divisor) = divisor {
            guard divisor.numerator != 0 else { return nil }
            let inverse = Fraction(divisor.denominator, over: divisor.numerator)
            if let inverse, let quotient = dividend.times(inverse) { return .exact(quotient) }
        }
        return divisor.double == 0 ? nil : .approximate(double / divisor.double)
    }

    /// The remainder of the division by a modulus above 0: 0 ≤ … < modulus. Returns nil if a double is not precise
    /// enough.
    func wrapped(by modulus: Quantity) -> Quantity? {
        guard Quantity.zero < modulus, let quotient = divided(by: modulus) else { return nil }
        if case .exact(let fraction) = quotient {
            let rest = self - .exact(fraction.floor) * modulus
            if case .exact = rest { return rest }
        }
        guard abs(quotient.double) < 4e15 else { return nil }
        let rest = double - quotient.double.rounded(.down) * modulus.double
        return rest >= 0 && rest < modulus.double ? .approximate(rest) : nil
    }

    static func < (left: Quantity, right: Quantity) -> Bool {
        if case .exact(let one) = left, case .exact(let other) = right, let isLess = one.isLess(than: other) {
            return isLess
        }
        return left.double < right.double
    }

    func rounded(_ rounding: Rounding) -> Quantity {
        if case .exact(let fraction) = self, let rounded = fraction.rounded(rounding) {
            return .exact(rounded)
        }
        let unit = (0..<min(max(rounding.places, 0), 9)).reduce(1.0) { power, _ in power * 10 }
        // Above 2^52 a double has no fractional digits. Scaling it could only overflow.
        guard abs(double) * unit < 4e15 else { return .approximate(double) }
        return .approximate((double * unit).rounded(rounding.mode.doubleRule) / unit)
    }
}

extension RoundingMode {
    fileprivate var doubleRule: FloatingPointRoundingRule {
        switch self {
        case .halfEven: .toNearestOrEven
        case .halfUp: .toNearestOrAwayFromZero
        case .down: .towardZero
        case .up: .awayFromZero
        }
    }
}
