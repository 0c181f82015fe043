/// A number as most are written: a sign, at most fifteen digits with or without a point, no exponent. It is held in one word from which its
/// text follows again, so numbers of this form are read, compared and written without C's parser and without memory of their own.
struct PlainDecimal: Sendable, Hashable {
    /// The digits as a whole number, four bits for how many of them stand behind the point, one for the sign.
    private let packed: UInt64

    private static let limit = 1_000_000_000_000_000

    /// Nil for every other form. The text follows JSON's grammar for numbers, so nothing but one zero precedes the first digit.
    init?(_ literal: some Sequence<UInt8>) {
        var magnitude = 0
        var digits = 0
        var places = 0
        var isNegative = false
        var isBehindPoint = false
        for byte in literal {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                digits += 1
                guard digits <= 15 else { return nil }
                magnitude = magnitude &* 10 &+ Int(byte &- UInt8(ascii: "0"))
                if isBehindPoint { places += 1 }
            case UInt8(ascii: "."):
                guard !isBehindPoint, digits > 0 else { return nil }
                isBehindPoint = true
            case UInt8(ascii: "-"):
                guard digits == 0, !isNegative else { return nil }
                isNegative = true
            default: return nil
            }
        }
        guard digits > 0, places > 0 || !isBehindPoint else { return nil }
        packed = UInt64(magnitude) << 5 | UInt64(places) << 1 | (isNegative ? 1 : 0)
    }

    /// Nil from sixteen digits on.
    init?(whole value: Int) {
        guard value.magnitude < UInt(Self.limit) else { return nil }
        packed = UInt64(value.magnitude) << 5 | (value < 0 ? 1 : 0)
    }

    /// All digits as a whole number, without the sign; below 10^15, so a double holds it exactly.
    private var magnitude: Int { Int(packed >> 5) }

    /// Digits behind the point, at most 14.
    var decimalPlaces: Int { Int(packed >> 1 & 15) }

    var isNegative: Bool { packed & 1 == 1 }

    /// The value if it is whole.
    var int: Int? {
        let (whole, rest) = magnitude.quotientAndRemainder(dividingBy: Self.wholePowers[decimalPlaces])
        guard rest == 0 else { return nil }
        return isNegative ? -whole : whole
    }

    /// The nearest double: two numbers that doubles hold exactly, divided once (Clinger 1990, "How to read floating point numbers accurately").
    var double: Double {
        let value = Double(magnitude) / Self.powers[decimalPlaces]
        return isNegative ? -value : value
    }

    /// Whether the text is already the one that digests are made of: a whole number, or one that a double's shortest digits would repeat. Below
    /// 0.001 those have an exponent, and zero has one text.
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

    /// Appends the text, as it was read.
    func write(to bytes: inout [UInt8]) {
        if isNegative { bytes.append(UInt8(ascii: "-")) }
        let places = decimalPlaces
        let (whole, rest) = magnitude.quotientAndRemainder(dividingBy: Self.wholePowers[places])
        Self.write(whole, from: Self.place(of: whole), to: &bytes)
        if places > 0 {
            bytes.append(UInt8(ascii: "."))
            Self.write(rest, from: places - 1, to: &bytes)
        }
    }

    /// The place of the first digit: 0 below 10.
    private static func place(of whole: Int) -> Int {
        var place = 0
        while whole >= wholePowers[place + 1] { place += 1 }
        return place
    }

    private static func write(_ number: Int, from first: Int, to bytes: inout [UInt8]) {
        for place in stride(from: first, through: 0, by: -1) {
            bytes.append(UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: number / wholePowers[place] % 10))
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
