/// Determines the attainable range of each scale of a key, in the order of the key.
struct AttainableRanges {
    /// The ranges of one scale; nil for a value without bounds.
    struct ScaleRanges: Sendable {
        /// The range before each step of the transform.
        var steps: [AttainableRange?] = []
        /// The range of the score.
        var result: AttainableRange?
    }

    let items: [String: Item]
    let tables: [String: LookupTable]
    private(set) var scales: [ScaleRanges] = []
    private var indexOfScale: [String: Int] = [:]
    /// Cached ranges of items without recoding, because many scales can use the same item.
    private var itemRanges: [String: AttainableRange?] = [:]

    init(_ key: ScoringKey, items: [String: Item]) {
        self.items = items
        tables = Dictionary(key.tables.map { ($0.id, $0) }) { first, _ in first }
    }

    /// Determines the ranges of the next scale.
    mutating func add(_ scale: Scale) -> ScaleRanges {
        var ranges = ScaleRanges()
        var range = combined(scale)?.times(Quantity(scale.factor)).plus(Quantity(scale.offset))
        for step in scale.transform {
            ranges.steps.append(range)
            range = self.range(of: step, from: range)
        }
        if let rounding = scale.rounding { range = range?.rounded(rounding) }
        ranges.result = range
        scales.append(ranges)
        if indexOfScale[scale.id] == nil { indexOfScale[scale.id] = scales.count - 1 }
        return ranges
    }

    /// The range of the result of the method.
    private mutating func combined(_ scale: Scale) -> AttainableRange? {
        guard !scale.items.isEmpty else { return nil }
        if scale.method.usesTimes { return timeRange(scale) }
        var ranges: [AttainableRange] = []
        for name in scale.items {
            guard let range = self.range(of: name, scale) else { return nil }
            ranges.append(range)
        }
        var range: AttainableRange? = ranges[0]
        switch scale.method {
        case .sum, .count, .value: range = ranges.dropFirst().reduce(ranges[0]) { $0.plus($1) }
        case .mean:
            let weights = scale.items.reduce(Quantity.zero) { $0 + Quantity(scale.weights[$1] ?? 1) }
            let sum = ranges.dropFirst().reduce(ranges[0]) { $0.plus($1) }
            range = Quantity(1).divided(by: weights).map { sum.times($0) }
        case .product: range = ranges.dropFirst().reduce(ranges[0]) { $0.times($1) }
        case .difference: range = ranges.count == 2 ? ranges[0].plus(ranges[1].times(Quantity(-1))) : nil
        case .quotient: range = ranges.count == 2 ? ranges[0].divided(by: ranges[1]) : nil
        case .minimum, .maximum:
            // The minimum of all items is at most the smallest of their greatest values. The maximum is analogous.
            let order: (Quantity, Quantity) -> Bool = scale.method == .minimum ? { $0 < $1 } : { $1 < $0 }
            let step = ranges.dropFirst().reduce(ranges[0]) { $0.union($1) }.step
            let ends = [ranges.map(\.least).min(by: order), ranges.map(\.greatest).min(by: order)]
            range = AttainableRange(ends[0] ?? .zero, ends[1] ?? .zero, step: step)
        case .elapsed, .clock: range = nil
        }
        // A prorated sum can have any value between the bounds. A sum of fewer items can be below the lower bound.
        guard scale.missing.allowsBlanks || scale.blanks.values.contains(.leftOut) else { return range }
        if scale.missing.canShrink || scale.blanks.values.contains(.leftOut) {
            range = range?.union(AttainableRange(.zero, .zero, step: .zero))
        }
        if scale.method != .minimum, scale.method != .maximum { range?.step = nil }
        return range
    }

    /// The range of what one item or earlier scale can add, with the values of `Scale.blanks` and of imputation.
    /// Reversal does not change a range.
    private mutating func range(of name: String, _ scale: Scale) -> AttainableRange? {
        var range = declared(name, scale)
        var extra: [Quantity] = scale.blanks.values.compactMap {
            if case .counts(let value) = $0 { Quantity(value) } else { nil }
        }
        if case .partial(_, .impute(.constant(let value))) = scale.missing { extra.append(Quantity(value)) }
        for value in extra {
            let counted =
                scale.method == .count
                ? AttainableRange.zeroOrOne : AttainableRange(value, value, step: .zero)
            range = range?.union(counted)
        }
        return scale.method == .count ? range : range?.times(Quantity(scale.weights[name] ?? 1))
    }

    private mutating func declared(_ name: String, _ scale: Scale) -> AttainableRange? {
        if let item = items[name] {
            if item.type.hasOptions, item.repeats {
                if scale.method == .count, scale.counted != nil { return .zeroOrOne }
                return item.repeatingRange(isCount: scale.method == .count, recode: scale.recode[name])
            }
            if scale.method == .count { return .zeroOrOne }
            if let recode = scale.recode[name] { return item.attainableRange(recode: recode) }
            if let known = itemRanges[name] { return known }
            let range = item.attainableRange(recode: nil)
            itemRanges[name] = .some(range)
            return range
        }
        guard let index = indexOfScale[name] else { return nil }
        return scale.method == .count ? .zeroOrOne : scales[index].result
    }

    /// The range of `elapsed` and `clock`; nil unless all items are times of day.
    private func timeRange(_ scale: Scale) -> AttainableRange? {
        let allAreTimes = scale.items.allSatisfy { items[$0]?.expressionType == .time }
        guard allAreTimes, let end = Quantity(86_399).divided(by: Quantity((scale.unit ?? .minutes).seconds)),
            let step = Quantity(1).divided(by: Quantity((scale.unit ?? .minutes).seconds))
        else { return nil }
        return AttainableRange(.zero, end, step: step)
    }

    /// The range after one step of the transform.
    private func range(of step: ScoreTransform, from range: AttainableRange?) -> AttainableRange? {
        switch step {
        case .multiply(let number): return range?.times(Quantity(number))
        case .divide(let number):
            return Quantity(1).divided(by: Quantity(number)).flatMap { range?.times($0) }
        case .add(let number): return range?.plus(Quantity(number))
        case .pomp: return range?.percent
        case .clamp(let least, let greatest):
            return range?.clamped(least.map { Quantity($0) }, greatest.map { Quantity($0) })
        case .wrap(let modulus): return AttainableRange(.zero, Quantity(modulus))
        case .round(let rounding): return range?.rounded(rounding)
        case .bins(let bins):
            let keepsValues = bins.contains { $0.value == nil }
            let values = AttainableRange(values: bins.compactMap { $0.value.map { Quantity($0) } })
            guard keepsValues else { return values }
            return values.flatMap { range?.union($0) } ?? range
        case .lookup(let name):
            return AttainableRange(
                values: (tables[name]?.rows ?? []).compactMap {
                    if case .score(_, let value, _) = $0.entry { Quantity(value) } else { nil }
                })
        case .norm(_, let form):
            return form == .percentile ? AttainableRange(.zero, Quantity(100)) : nil
        }
    }
}
