/// A decimal number with a sign, at most 15 digits, an optional decimal point and no exponent. Most numbers have this
/// form. It fits into one 64-bit word, which determines its text. Numbers of this form are therefore parsed, compared
/// and written without C's parser and without a heap allocation.
struct PlainDecimal: Sendable, Hashable {
    /// The digits as a whole number, then four bits for the number of decimal places, then one bit for the sign.
    private let packed: UInt64

    private static let limit = 1_000_000_000_000_000

    /// Parses a literal that follows JSON's grammar for numbers. Returns nil for any other form. The grammar permits at
    /// most one zero before the first other digit.
    init?(_ literal: some Sequence<UInt8>) {
        var magnitude = 0
        var digits = 0
        var places = 0
        var isNegative = false
        var isAfterPoint = false
        for byte in literal {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                digits += 1
                guard digits <= 15 else { return nil }
                magnitude = magnitude &* 10 &+ Int(byte &- UInt8(ascii: "0"))
                if isAfterPoint { places += 1 }
            case UInt8(ascii: "."):
                guard !isAfterPoint, digits > 0 else { return nil }
                isAfterPoint = true
            case UInt8(ascii: "-"):
                guard digits == 0, !isNegative else { return nil }
                isNegative = true
            default: return nil
            }
        }
        guard digits > 0, places > 0 || !isAfterPoint else { return nil }
        packed = UInt64(magnitude) << 5 | UInt64(places) << 1 | (isNegative ? 1 : 0)
    }

    /// Returns nil if the number has more than 15 digits.
    init?(whole value: Int) {
        guard value.magnitude < UInt(Self.limit) else { return nil }
        packed = UInt64(value.magnitude) << 5 | (value < 0 ? 1 : 0)
    }

    /// All digits as a whole number, without the sign. It is below 10^15, so a `Double` represents it exactly.
    private var magnitude: Int { Int(packed >> 5) }

    /// The number of digits after the decimal point, at most 14.
    var decimalPlaces: Int { Int(packed >> 1 & 15) }

    var isNegative: Bool { packed & 1 == 1 }

    /// The value if it is whole, otherwise nil.
    var int: Int? {
        let (whole, rest) = magnitude.quotientAndRemainder(dividingBy: Self.wholePowers[decimalPlaces])
        guard rest == 0 else { return nil }
        return isNegative ? -whole : whole
    }

    /// The nearest double. It divides two numbers that doubles represent exactly, so it rounds only once (Clinger 1990,
    /// "How to read floating point numbers accurately").
    var double: Double {
        let value = Double(magnitude) / Self.powers[decimalPlaces]
        return isNegative ? -value : value
    }

    /// Whether the text is already in the canonical form of `JSON.canonicalBytes`: a whole number, or the shortest
    /// digits of a `Double`. Below 0.001 Swift writes those with an exponent. Zero has one canonical text.
    var isNormalised: Bool {
        if magnitude == 0 { return packed == 0 }
        if decimalPlaces == 0 { return true }
        return magnitude % 10 != 0 && magnitude * 1_000 >= Self.wholePowers[decimalPlaces]
    }

    var literal: String {
        var bytes: [UInt8] = []
        write(to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Appends the text exactly as it was parsed.
    func write(to bytes: inout [UInt8]) {
        if isNegative { bytes.append(UInt8(ascii: "-")) }
        let places = decimalPlaces
        let (whole, rest) = magnitude.quotientAndRemainder(dividingBy: Self.wholePowers[places])
        Self.write(whole, from: Self.highestPower(of: whole), to: &bytes)
        if places > 0 {
            bytes.append(UInt8(ascii: "."))
            Self.write(rest, from: places - 1, to: &bytes)
        }
    }

    /// The power of ten of the first digit: 0 for numbers below 10.
    private static func highestPower(of whole: Int) -> Int {
        var power = 0
        while whole >= wholePowers[power + 1] { power += 1 }
        return power
    }

    private static func write(_ number: Int, from first: Int, to bytes: inout [UInt8]) {
        for power in stride(from: first, through: 0, by: -1) {
            bytes.append(UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: number / wholePowers[power] % 10))
        }
    }

    private static let wholePowers: [Int] = [
        1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000, 10_000_000_000,
        100_000_000_000, 1_000_000_000_000, 10_000_000_000_000, 100_000_000_000_000, limit,
    ]

    private static let powers: [Double] = [
        1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
    ]
}
