/// The size of a unit in metres, grams, seconds, kelvins and moles. It makes amounts in different units comparable: 1 h
/// is more than 30 min. It supports products and quotients of the symbols of `UCUMFactors`. An annotation in braces
/// counts as a separate dimension, because `{cups}` are not `{pieces}`, although UCUM treats both as 1.
struct UCUMScale: Sendable, Hashable {
    /// Base unit or annotation -> exponent. Exponents of 0 are removed.
    private var dimension: [String: Int] = [:]
    private var factor = Quantity(1)
    /// Added before the multiplication by `factor`: 0 Cel is 273.15 K.
    private var offset = Quantity.zero

    /// Parses a unit. Returns nil for a symbol that is not in the table, for brackets, for numbers other than 1, and
    /// for a size that 128 bits cannot represent exactly.
    init?(_ unit: String) {
        if let special = UCUMFactors.special[unit] {
            (dimension, factor, offset) = (["K": 1], special.factor, special.offset)
            return
        }
        var rest = Substring(unit)
        var isDenominator = rest.first == "/"
        if isDenominator { rest.removeFirst() }
        while true {
            guard multiply(by: &rest, isDenominator ? -1 : 1) else { return nil }
            guard let sign = rest.popFirst() else { break }
            guard sign == "." || sign == "/" else { return nil }
            isDenominator = sign == "/"
        }
        guard case .exact = factor else { return nil }
        dimension = dimension.filter { $0.value != 0 }
    }

    /// The amount in base units.
    private func amount(_ value: Double) -> Quantity { (Quantity(value) + offset) * factor }

    /// Whether amounts in both units can be compared.
    static func areComparable(_ one: String, _ other: String) -> Bool {
        if one == other { return true }
        guard let first = UCUMScale(one), let second = UCUMScale(other) else { return false }
        return first.dimension == second.dimension
    }

    /// Both amounts in the same unit; nil if they cannot be compared.
    static func amounts(_ one: Measure, _ other: Measure) -> (Quantity, Quantity)? {
        if one.unit == other.unit { return (Quantity(one.value), Quantity(other.value)) }
        guard let first = UCUMScale(one.unit), let second = UCUMScale(other.unit),
            first.dimension == second.dimension
        else { return nil }
        return (first.amount(one.value), second.amount(other.value))
    }

    /// The amount as a number of another unit. Nil if the units cannot be compared, and if no `Double` is exactly that
    /// number.
    static func number(of measure: Measure, in unit: String) -> Double? {
        guard let own = UCUMScale(measure.unit), let other = UCUMScale(unit),
            own.dimension == other.dimension, let count = own.amount(measure.value).divided(by: other.factor)
        else { return nil }
        let number = count - other.offset
        guard case .exact = number, Quantity(number.double) == number else { return nil }
        return number.double
    }

    /// Multiplies the scale by one symbol with its exponent and annotation. Returns false for an unknown symbol.
    private mutating func multiply(by rest: inout Substring, _ direction: Int) -> Bool {
        let symbol = Self.symbol(&rest)
        let power = Self.power(&rest)
        let annotation = Self.annotation(&rest)
        if let annotation { dimension[annotation, default: 0] += direction }
        // The number 1, or an annotation alone, counts as 1.
        guard !symbol.isEmpty else { return power == 1 || power == nil && annotation != nil }
        guard let unit = UCUMFactors.unit(symbol), abs(power ?? 1) <= 4 else {
            return false
        }
        let exponent = power ?? 1
        for (base, own) in unit.dimension { dimension[base, default: 0] += own * exponent * direction }
        guard let one = exponent * direction < 0 ? Quantity(1).divided(by: unit.factor) : unit.factor else {
            return false
        }
        for _ in 0..<abs(exponent) { factor = factor * one }
        return true
    }

    /// Reads a symbol: letters, `%`, `'`, `_`, and text in square brackets.
    private static func symbol(_ rest: inout Substring) -> String {
        var symbol = ""
        while let first = rest.first, first.isLetter || "%'_[".contains(first) {
            let end = first == "[" ? rest.firstIndex(of: "]") ?? rest.startIndex : rest.startIndex
            symbol += rest[...end]
            rest = rest[rest.index(after: end)...]
        }
        return symbol
    }

    /// Reads a number or an exponent; nil if there is none.
    private static func power(_ rest: inout Substring) -> Int? {
        let digits = rest.prefix { $0.isASCII && $0.isNumber || $0 == "-" || $0 == "+" }
        guard let power = Int(digits) else { return nil }
        rest = rest[digits.endIndex...]
        return power
    }

    /// Reads an annotation with its braces; nil if there is none.
    private static func annotation(_ rest: inout Substring) -> String? {
        guard rest.first == "{", let end = rest.firstIndex(of: "}") else { return nil }
        let annotation = String(rest[...end])
        rest = rest[rest.index(after: end)...]
        return annotation
    }
}

extension UCUMScale {
    /// The sizes of units, for clients that convert amounts: `{"kind": 0, "factor": "3600/1", "offset": "0/1"}` for
    /// each unit, or null for a unit that cannot be converted. Amounts in units of the same kind can be compared by
    /// (number + offset) × factor.
    static func sizes(of units: [String]) -> JSON {
        let scales = units.map { UCUMScale($0) }
        return .array(
            scales.map { scale in
                guard let scale, case .exact(let factor) = scale.factor,
                    case .exact(let offset) = scale.offset,
                    let kind = scales.firstIndex(where: { $0?.dimension == scale.dimension })
                else { return .null }
                return [
                    "kind": .int(kind), "factor": .string("\(factor.numerator)/\(factor.denominator)"),
                    "offset": .string("\(offset.numerator)/\(offset.denominator)"),
                ]
            })
    }
}

extension Measure {
    /// The same amount in another unit. Nil if the units cannot be compared, and if no decimal number is exactly that
    /// amount: 30 min is 0.5 h, but 20 min has no exact number of hours.
    package func exactly(in other: String) -> Measure? {
        if unit == other { return self }
        return UCUMScale.number(of: self, in: other).map { Measure(value: $0, unit: other) }
    }
}
