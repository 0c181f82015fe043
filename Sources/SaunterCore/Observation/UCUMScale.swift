/// What one of a unit comes to in metres, grams, seconds, kelvins and moles, so that amounts in different units of one
/// kind can be compared: 1 h is more than 30 min. Of products and quotients of the symbols of `UCUMFactors`. Words in
/// braces are told apart, since cups are no pieces, although UCUM takes both as 1.
struct UCUMScale: Sendable, Hashable {
    /// Base unit, or words in braces -> its exponent; none that is 0.
    private var dimension: [String: Int] = [:]
    private var factor = Quantity(1)
    /// Added before it is multiplied: 0 Cel is 273.15 K.
    private var offset = Quantity.zero

    /// Nil for a symbol that is not in the table, for brackets, for numbers other than 1, and for a size that 128 bits do
    /// not hold exactly.
    init?(_ unit: String) {
        if let special = UCUMFactors.special[unit] {
            (dimension, factor, offset) = (["K": 1], special.factor, special.offset)
            return
        }
        var rest = Substring(unit)
        var isBelow = rest.first == "/"
        if isBelow { rest.removeFirst() }
        while true {
            guard take(&rest, isBelow ? -1 : 1) else { return nil }
            guard let sign = rest.popFirst() else { break }
            guard sign == "." || sign == "/" else { return nil }
            isBelow = sign == "/"
        }
        guard case .exact = factor else { return nil }
        dimension = dimension.filter { $0.value != 0 }
    }

    /// So many of the unit, in the base units.
    private func amount(_ value: Double) -> Quantity { (Quantity(value) + offset) * factor }

    /// Whether amounts in two units can be compared.
    static func areOfOneKind(_ one: String, _ other: String) -> Bool {
        if one == other { return true }
        guard let first = UCUMScale(one), let second = UCUMScale(other) else { return false }
        return first.dimension == second.dimension
    }

    /// Both as numbers of one unit; nil where they cannot be compared.
    static func amounts(_ one: Measure, _ other: Measure) -> (Quantity, Quantity)? {
        if one.unit == other.unit { return (Quantity(one.value), Quantity(other.value)) }
        guard let first = UCUMScale(one.unit), let second = UCUMScale(other.unit),
            first.dimension == second.dimension
        else { return nil }
        return (first.amount(one.value), second.amount(other.value))
    }

    /// How many of a unit an amount is; nil where they cannot be compared, and where no number is exactly that many.
    static func number(of measure: Measure, in unit: String) -> Double? {
        guard let own = UCUMScale(measure.unit), let other = UCUMScale(unit),
            own.dimension == other.dimension, let count = own.amount(measure.value).divided(by: other.factor)
        else { return nil }
        let number = count - other.offset
        guard case .exact = number, Quantity(number.double) == number else { return nil }
        return number.double
    }

    /// Takes up one symbol, with its exponent and the words behind it; false for what is not known.
    private mutating func take(_ rest: inout Substring, _ direction: Int) -> Bool {
        let symbol = Self.symbol(&rest)
        let power = Self.power(&rest)
        let words = Self.words(&rest)
        if let words { dimension[words, default: 0] += direction }
        // A number, or nothing before words, counts 1.
        guard !symbol.isEmpty else { return power == 1 || power == nil && words != nil }
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

    /// Letters and the like, and what stands in brackets.
    private static func symbol(_ rest: inout Substring) -> String {
        var symbol = ""
        while let first = rest.first, first.isLetter || "%'_[".contains(first) {
            let end = first == "[" ? rest.firstIndex(of: "]") ?? rest.startIndex : rest.startIndex
            symbol += rest[...end]
            rest = rest[rest.index(after: end)...]
        }
        return symbol
    }

    /// Nil where there is none.
    private static func power(_ rest: inout Substring) -> Int? {
        let digits = rest.prefix { $0.isASCII && $0.isNumber || $0 == "-" || $0 == "+" }
        guard let power = Int(digits) else { return nil }
        rest = rest[digits.endIndex...]
        return power
    }

    /// With their braces; nil where there are none.
    private static func words(_ rest: inout Substring) -> String? {
        guard rest.first == "{", let end = rest.firstIndex(of: "}") else { return nil }
        let words = String(rest[...end])
        rest = rest[rest.index(after: end)...]
        return words
    }
}
