import SaunterCore

/// A weighted sum of the values of items and earlier scales, with exact numbers.
struct WeightedSum: Hashable {
    struct Term: Hashable {
        /// The linkId of an item, or the id of a scale.
        let name: String
        let coefficient: Fraction
    }

    /// In the order of the expression; every name occurs once.
    var terms: [Term] = []
    var constant = Fraction(0)
    /// Whether a missing value counts as 0. Otherwise the result is missing if one value is.
    var skipsMissing = false

    init(constant: Fraction) { self.constant = constant }

    init(names: [String], skipsMissing: Bool) {
        terms = names.map { Term(name: $0, coefficient: Fraction(1)) }
        self.skipsMissing = skipsMissing
    }

    func plus(_ other: WeightedSum) throws(TranslationError) -> WeightedSum {
        if !terms.isEmpty, !other.terms.isEmpty, skipsMissing != other.skipsMissing {
            throw TranslationError(detail: "only some of its missing answers count as 0")
        }
        var sum = self
        sum.skipsMissing = terms.isEmpty ? other.skipsMissing : skipsMissing
        sum.constant = try Self.exact(constant.plus(other.constant))
        for term in other.terms {
            guard let index = sum.terms.firstIndex(where: { $0.name == term.name }) else {
                sum.terms.append(term)
                continue
            }
            let coefficient = try Self.exact(sum.terms[index].coefficient.plus(term.coefficient))
            sum.terms[index] = Term(name: term.name, coefficient: coefficient)
        }
        return sum
    }

    func times(_ factor: Fraction) throws(TranslationError) -> WeightedSum {
        var product = self
        product.constant = try Self.exact(constant.times(factor))
        for (index, term) in terms.enumerated() {
            product.terms[index] = Term(
                name: term.name, coefficient: try Self.exact(term.coefficient.times(factor)))
        }
        return product
    }

    /// The sum as a scale; nil if the numbers of a scoring key cannot express it exactly.
    /// - Parameter reversalSum: the minimum plus the maximum of an item's values; nil if the item has no declared
    ///   range. A reversed value is this number minus the value.
    func scale(_ id: String, reversalSum: (_ name: String) -> Fraction?) -> Scale? {
        guard !terms.isEmpty else { return nil }
        var scale = Scale(id: id, items: terms.map(\.name), method: .sum)
        if skipsMissing { scale.missing = .partial(needed: .count(1), remedy: .answered) }
        let uniform = uniform(reversalSum: reversalSum)
        // Without a constant, a negative term is usually a subtraction, not a reversed item.
        if let uniform, uniform.reverse.isEmpty || constant.numerator != 0 || !setWeights(of: &scale) {
            (scale.method, scale.reverse) = (uniform.method, uniform.reverse)
            (scale.factor, scale.offset) = (uniform.factor, uniform.offset)
            scale.weights = [:]
            return scale
        }
        return setWeights(of: &scale) ? scale : nil
    }

    /// - Returns: whether the numbers are decimal.
    private func setWeights(of scale: inout Scale) -> Bool {
        guard let offset = Self.decimal(constant) else { return false }
        scale.offset = offset
        for term in terms where term.coefficient != Fraction(1) {
            guard let weight = Self.decimal(term.coefficient) else { return false }
            scale.weights[term.name] = weight
        }
        return true
    }

    /// The sum or mean of values that all have the same factor, up to its sign. Terms with the other sign are reversed
    /// items.
    private func uniform(
        reversalSum: (_ name: String) -> Fraction?
    ) -> (method: ScoringMethod, reverse: [String], factor: Double, offset: Double)? {
        guard let size = terms.first.flatMap({ Self.magnitude($0.coefficient) }), size.numerator != 0,
            terms.allSatisfy({ Self.magnitude($0.coefficient) == size })
        else { return nil }
        let (positive, negative) = (
            terms.filter { $0.coefficient.numerator > 0 }, terms.filter { $0.coefficient.numerator < 0 }
        )
        let signs = positive.isEmpty ? [(-1, positive), (1, negative)] : [(1, negative), (-1, positive)]
        // A missing reversed item does not count as 0.
        for (sign, reversed) in signs where reversed.isEmpty || !skipsMissing {
            var offset: Fraction? = constant
            for term in reversed {
                let rest = reversalSum(term.name)?.times(term.coefficient)
                offset = rest.flatMap { offset?.plus($0) }
            }
            guard let offset = offset.flatMap(Self.decimal), let factor = size.times(Fraction(sign)) else {
                continue
            }
            let reverse = reversed.map(\.name)
            if let factor = Self.decimal(factor) { return (.sum, reverse, factor, offset) }
            if !skipsMissing, let factor = factor.times(Fraction(terms.count)).flatMap(Self.decimal) {
                return (.mean, reverse, factor, offset)
            }
        }
        return nil
    }

    private static func magnitude(_ fraction: Fraction) -> Fraction? {
        fraction.numerator < 0 ? fraction.times(Fraction(-1)) : fraction
    }

    /// The number in a scoring key; nil if it has no exact decimal notation.
    private static func decimal(_ fraction: Fraction) -> Double? {
        Fraction(decimal: fraction.double) == fraction ? fraction.double : nil
    }

    private static func exact(_ fraction: Fraction?) throws(TranslationError) -> Fraction {
        guard let fraction else { throw TranslationError(detail: "its numbers are too long") }
        return fraction
    }
}
