/// The values that a scale, or one step of its transform, can have according to the declarations.
struct AttainableRange: Sendable, Hashable {
    var least: Quantity
    var greatest: Quantity
    /// All values are `least` plus a whole multiple of this. 0 if there is only one value. Nil if any value between
    /// the bounds is possible.
    var step: Quantity?

    init(_ least: Quantity, _ greatest: Quantity, step: Quantity? = nil) {
        self.least = least
        self.greatest = greatest
        self.step = step
    }

    /// The range of a closed list of values; nil for an empty list.
    init?(values: [Quantity]) {
        guard let least = values.min(by: <), let greatest = values.max(by: <) else { return nil }
        let step = values.reduce(Quantity.zero as Quantity?) { step, value in
            Self.commonMeasure(step, value - least)
        }
        self.init(least, greatest, step: step)
    }

    /// The greatest number of which both are whole multiples; nil if one of them is nil or not exact.
    static func commonMeasure(_ one: Quantity?, _ other: Quantity?) -> Quantity? {
        guard case .exact(let one)? = one, case .exact(let other)? = other else { return nil }
        return one.commonMeasure(with: other).map { .exact($0) }
    }

    /// The range of all values multiplied by a number.
    func times(_ factor: Quantity) -> AttainableRange {
        let ends = [least * factor, greatest * factor]
        let isFalling = factor < .zero
        return AttainableRange(
            ends[isFalling ? 1 : 0], ends[isFalling ? 0 : 1],
            step: step.map { $0 * (isFalling ? .zero - factor : factor) })
    }

    /// The range of all values plus a number.
    func plus(_ number: Quantity) -> AttainableRange {
        AttainableRange(least + number, greatest + number, step: step)
    }

    /// The range of sums of one value from each range.
    func plus(_ other: AttainableRange) -> AttainableRange {
        AttainableRange(
            least + other.least, greatest + other.greatest, step: Self.commonMeasure(step, other.step))
    }

    /// The range of the values of both ranges.
    func union(_ other: AttainableRange) -> AttainableRange {
        let distance = least < other.least ? other.least - least : least - other.least
        return AttainableRange(
            least < other.least ? least : other.least, greatest < other.greatest ? other.greatest : greatest,
            step: Self.commonMeasure(Self.commonMeasure(step, other.step), distance))
    }

    /// The range of products of one value from each range.
    func times(_ other: AttainableRange) -> AttainableRange {
        let ends = [
            least * other.least, least * other.greatest, greatest * other.least, greatest * other.greatest,
        ]
        let least = ends.min(by: <) ?? .zero
        let isWhole = isWhole && other.isWhole
        return AttainableRange(least, ends.max(by: <) ?? .zero, step: isWhole ? Quantity(1) : nil)
    }

    /// Whether all values are whole numbers.
    private var isWhole: Bool {
        guard case .exact(let least) = least, case .exact(let step)? = step else { return false }
        return least.denominator == 1 && step.denominator == 1
    }

    /// Whether a possible value is after `lower` and before `upper`. Nil means the end of this range.
    func hasValue(after lower: ExactRange.End?, before upper: ExactRange.End?) -> Bool {
        func isInside(_ value: Quantity) -> Bool {
            if value < least || greatest < value { return false }
            if let lower, value < lower.value || lower.isInclusive && !(lower.value < value) { return false }
            if let upper, upper.value < value || upper.isInclusive && !(value < upper.value) { return false }
            return true
        }
        if isInside(least) || isInside(greatest) { return true }
        guard let step else {
            let from = lower.map { least < $0.value ? $0.value : least } ?? least
            let to = upper.map { $0.value < greatest ? $0.value : greatest } ?? greatest
            return isInside((from + to).divided(by: 2)) || isInside(from) || isInside(to)
        }
        guard Quantity.zero < step, let lower,
            case .exact(let stepCount)? = (lower.value - least).divided(by: step)
        else { return false }
        let first = least + .exact(stepCount.floor) * step
        return isInside(first) || isInside(first + step)
    }
}

extension AttainableRange {
    /// The range after the step `pomp`: 0 to 100. Nil if there is only one value.
    var percent: AttainableRange? {
        guard least < greatest else { return nil }
        let step = step.flatMap { ($0 * Quantity(100)).divided(by: greatest - least) }
        return AttainableRange(.zero, Quantity(100), step: step)
    }

    /// The range after the step `clamp`.
    func clamped(_ lower: Quantity?, _ upper: Quantity?) -> AttainableRange {
        func clamped(_ value: Quantity) -> Quantity {
            if let lower, value < lower { return lower }
            if let upper, upper < value { return upper }
            return value
        }
        let (from, to) = (clamped(least), clamped(greatest))
        let measure = Self.commonMeasure(step, from < least ? least - from : from - least)
        let step = Self.commonMeasure(measure, greatest < to ? to - greatest : greatest - to)
        return AttainableRange(from, to, step: step)
    }

    /// The range after rounding.
    func rounded(_ rounding: Rounding) -> AttainableRange {
        let (from, to) = (least.rounded(rounding), greatest.rounded(rounding))
        let unit = (0..<min(max(rounding.places, 0), 9)).reduce(Quantity(1)) { unit, _ in unit.divided(by: 10)
        }
        return AttainableRange(from, to, step: Self.commonMeasure(unit, step) == unit ? step : unit)
    }

    /// The range of quotients of one value from each range. Nil if the divisor can be 0.
    func divided(by divisor: AttainableRange) -> AttainableRange? {
        guard Quantity.zero < divisor.least || divisor.greatest < .zero else { return nil }
        let ends = [
            (least, divisor.least), (least, divisor.greatest), (greatest, divisor.least),
            (greatest, divisor.greatest),
        ]
        .compactMap { $0.divided(by: $1) }
        guard let from = ends.min(by: <), let to = ends.max(by: <) else { return nil }
        return AttainableRange(from, to)
    }
}

extension MissingRule {
    /// Whether a score is possible although items are missing, and can be a value that no complete set of answers
    /// gives. A constant that replaces a missing item counts as a value of that item.
    var allowsBlanks: Bool {
        switch self {
        case .complete, .exclude, .partial(_, .impute(.constant)): false
        case .prorate, .partial: true
        }
    }

    /// Whether missing items can make a sum smaller.
    var canShrink: Bool { if case .partial(_, .answered) = self { true } else { false } }
}

extension AttainableRange {
    /// The range of what one item can add to a count.
    static let zeroOrOne = AttainableRange(.zero, Quantity(1), step: Quantity(1))
}

extension Item {
    /// The range of the item's values. Nil if it is not bounded.
    func attainableRange(recode: [String: Double]?) -> AttainableRange? {
        if let recode {
            guard type.form == .options else {
                return AttainableRange(values: recode.values.map { Quantity($0) })
            }
            return AttainableRange(
                values: answerOption.compactMap { recode[$0.value.text].map { Quantity($0) } })
        }
        guard let range = declaredRange else { return nil }
        if type.form == .options {
            return AttainableRange(values: answerOption.compactMap { weight(of: $0) })
        }
        let isWhole = type.form == .truth || type.definition.isWhole
        guard isWhole, case .exact(let least) = range.minimum, least.denominator == 1 else {
            return AttainableRange(range.minimum, range.maximum)
        }
        return AttainableRange(range.minimum, range.maximum, step: Quantity(1))
    }

    /// The range of the values of any combination of options: from the sum of all negative weights to the sum of all
    /// positive weights.
    /// - Parameter isCount: whether the method is `count`.
    func repeatingRange(isCount: Bool, recode: [String: Double]?) -> AttainableRange {
        let weights = answerOption.compactMap { option in
            recode.map { $0[option.value.text].map { Quantity($0) } } ?? weight(of: option)
        }
        if isCount {
            return AttainableRange(Quantity(0), Quantity(weights.count { $0 != .zero }), step: Quantity(1))
        }
        let step = weights.reduce(Quantity.zero as Quantity?) { AttainableRange.commonMeasure($0, $1) }
        return AttainableRange(
            weights.filter { $0 < .zero }.reduce(.zero, +), weights.filter { .zero < $0 }.reduce(.zero, +),
            step: step)
    }
}
