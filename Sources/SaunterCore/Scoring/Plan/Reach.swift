/// The values that a scale, or a step of one, can take by declaration.
struct Reach: Sendable, Hashable {
    var least: Quantity
    var greatest: Quantity
    /// All values lie whole multiples of this above `least`; 0 for one value alone, nil where they may lie
    /// anywhere.
    var step: Quantity?

    init(_ least: Quantity, _ greatest: Quantity, step: Quantity? = nil) {
        self.least = least
        self.greatest = greatest
        self.step = step
    }

    /// Of a closed list of values; nil for none.
    init?(values: [Quantity]) {
        guard let least = values.min(by: <), let greatest = values.max(by: <) else { return nil }
        let step = values.reduce(Quantity.zero as Quantity?) { step, value in
            Self.commonMeasure(step, value - least)
        }
        self.init(least, greatest, step: step)
    }

    static func commonMeasure(_ one: Quantity?, _ other: Quantity?) -> Quantity? {
        guard case .exact(let one)? = one, case .exact(let other)? = other else { return nil }
        return one.commonMeasure(with: other).map { .exact($0) }
    }

    /// All values times a number.
    func times(_ factor: Quantity) -> Reach {
        let ends = [least * factor, greatest * factor]
        let isFalling = factor < .zero
        return Reach(
            ends[isFalling ? 1 : 0], ends[isFalling ? 0 : 1],
            step: step.map { $0 * (isFalling ? .zero - factor : factor) })
    }

    func plus(_ number: Quantity) -> Reach {
        Reach(least + number, greatest + number, step: step)
    }

    /// Of a sum of one value from each.
    func plus(_ other: Reach) -> Reach {
        Reach(
            least + other.least, greatest + other.greatest, step: Self.commonMeasure(step, other.step))
    }

    /// Of either.
    func union(_ other: Reach) -> Reach {
        let distance = least < other.least ? other.least - least : least - other.least
        return Reach(
            least < other.least ? least : other.least, greatest < other.greatest ? other.greatest : greatest,
            step: Self.commonMeasure(Self.commonMeasure(step, other.step), distance))
    }

    /// Of a product of one value from each.
    func times(_ other: Reach) -> Reach {
        let ends = [
            least * other.least, least * other.greatest, greatest * other.least, greatest * other.greatest,
        ]
        let least = ends.min(by: <) ?? .zero
        let isWhole = isWhole && other.isWhole
        return Reach(least, ends.max(by: <) ?? .zero, step: isWhole ? Quantity(1) : nil)
    }

    /// Whether all values are whole numbers.
    private var isWhole: Bool {
        guard case .exact(let least) = least, case .exact(let step)? = step else { return false }
        return least.denominator == 1 && step.denominator == 1
    }

    /// Whether a value that can be taken lies after `lower` and before `upper`; nil for the ends of the reach.
    func hasValue(after lower: ExactRange.End?, before upper: ExactRange.End?) -> Bool {
        func isInside(_ value: Quantity) -> Bool {
            if value < least || greatest < value { return false }
            if let lower, value < lower.value || lower.isClosed && !(lower.value < value) { return false }
            if let upper, upper.value < value || upper.isClosed && !(value < upper.value) { return false }
            return true
        }
        if isInside(least) || isInside(greatest) { return true }
        guard let step else {
            let from = lower.map { least < $0.value ? $0.value : least } ?? least
            let to = upper.map { $0.value < greatest ? $0.value : greatest } ?? greatest
            return isInside((from + to).divided(by: 2)) || isInside(from) || isInside(to)
        }
        guard Quantity.zero < step, let lower,
            case .exact(let place)? = (lower.value - least).divided(by: step)
        else { return false }
        let first = least + .exact(place.floor) * step
        return isInside(first) || isInside(first + step)
    }
}
