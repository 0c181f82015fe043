extension Reach {
    /// 0 to 100; nil where there is one value only.
    var percent: Reach? {
        guard least < greatest else { return nil }
        let step = step.flatMap { ($0 * Quantity(100)).divided(by: greatest - least) }
        return Reach(.zero, Quantity(100), step: step)
    }

    func clamped(_ lower: Quantity?, _ upper: Quantity?) -> Reach {
        func clamped(_ value: Quantity) -> Quantity {
            if let lower, value < lower { return lower }
            if let upper, upper < value { return upper }
            return value
        }
        let (from, to) = (clamped(least), clamped(greatest))
        let measure = Self.commonMeasure(step, from < least ? least - from : from - least)
        let step = Self.commonMeasure(measure, greatest < to ? to - greatest : greatest - to)
        return Reach(from, to, step: step)
    }

    func rounded(_ rounding: Rounding) -> Reach {
        let (from, to) = (least.rounded(rounding), greatest.rounded(rounding))
        let unit = (0..<min(max(rounding.places, 0), 9)).reduce(Quantity(1)) { unit, _ in unit.divided(by: 10)
        }
        return Reach(from, to, step: Self.commonMeasure(unit, step) == unit ? step : unit)
    }

    /// Nil where the divisor can be 0.
    func divided(by divisor: Reach) -> Reach? {
        guard Quantity.zero < divisor.least || divisor.greatest < .zero else { return nil }
        let ends = [
            (least, divisor.least), (least, divisor.greatest), (greatest, divisor.least),
            (greatest, divisor.greatest),
        ]
        .compactMap { $0.divided(by: $1) }
        guard let from = ends.min(by: <), let to = ends.max(by: <) else { return nil }
        return Reach(from, to)
    }
}

extension MissingRule {
    /// Whether a score can come about without all items.
    var fillsBlanks: Bool {
        switch self {
        case .complete, .exclude, .partial(_, .impute(.constant)): false
        case .prorate, .partial: true
        }
    }

    /// Whether a sum can become smaller by what is missing.
    var shrinks: Bool { if case .partial(_, .answered) = self { true } else { false } }
}

extension Scale {
    /// What one item can add to a count.
    var countReach: Reach { Reach(.zero, Quantity(1), step: Quantity(1)) }
}

extension Item {
    /// Nil where nothing bounds what the item counts.
    func reach(recode: [String: Double]?) -> Reach? {
        if let recode {
            guard type == .choice || type == .openChoice else {
                return Reach(values: recode.values.map { Quantity($0) })
            }
            return Reach(values: answerOption.compactMap { recode[$0.value.text].map { Quantity($0) } })
        }
        guard let range = declaredRange else { return nil }
        switch type {
        case .choice, .openChoice: return Reach(values: answerOption.compactMap { weight(of: $0) })
        case .boolean: return Reach(range.minimum, range.maximum, step: Quantity(1))
        case .integer:
            guard case .exact(let least) = range.minimum, least.denominator == 1 else {
                return Reach(range.minimum, range.maximum)
            }
            return Reach(range.minimum, range.maximum, step: Quantity(1))
        default: return Reach(range.minimum, range.maximum)
        }
    }

    /// The bounds of what any choice of options can count: all negative, or all positive weights together.
    func repeatingReach(counted: Bool, recode: [String: Double]?) -> Reach {
        let weights = answerOption.compactMap { option in
            recode.map { $0[option.value.text].map { Quantity($0) } } ?? weight(of: option)
        }
        if counted {
            return Reach(Quantity(0), Quantity(weights.count { $0 != .zero }), step: Quantity(1))
        }
        let step = weights.reduce(Quantity.zero as Quantity?) { Reach.commonMeasure($0, $1) }
        return Reach(
            weights.filter { $0 < .zero }.reduce(.zero, +), weights.filter { .zero < $0 }.reduce(.zero, +),
            step: step)
    }
}
