/// What every scale of a key can reach, found scale by scale in the key's order.
struct ReachSurvey {
    /// Of one scale; nil where nothing bounds it.
    struct Found: Sendable {
        /// Before each step of the transform.
        var steps: [Reach?] = []
        var result: Reach?
    }

    let items: [String: Item]
    let tables: [String: LookupTable]
    private(set) var found: [Found] = []
    private var places: [String: Int] = [:]
    /// Of items as they are, for an item may stand in many scales.
    private var ofItems: [String: Reach?] = [:]

    init(_ key: ScoringKey, items: [String: Item]) {
        self.items = items
        tables = Dictionary(key.tables.map { ($0.id, $0) }) { first, _ in first }
    }

    /// Looks at the next scale.
    mutating func add(_ scale: Scale) -> Found {
        var result = Found()
        var reach = combined(scale)?.times(Quantity(scale.factor)).plus(Quantity(scale.offset))
        for step in scale.transform {
            result.steps.append(reach)
            reach = self.reach(of: step, from: reach)
        }
        if let rounding = scale.rounding { reach = reach?.rounded(rounding) }
        result.result = reach
        found.append(result)
        if places[scale.id] == nil { places[scale.id] = found.count - 1 }
        return result
    }

    private mutating func combined(_ scale: Scale) -> Reach? {
        guard !scale.items.isEmpty else { return nil }
        if scale.method == .clock || scale.method == .elapsed { return moments(scale) }
        var ranges: [Reach] = []
        for name in scale.items {
            guard let range = reach(of: name, scale) else { return nil }
            ranges.append(range)
        }
        var reach: Reach? = ranges[0]
        switch scale.method {
        case .sum, .count, .value: reach = ranges.dropFirst().reduce(ranges[0]) { $0.plus($1) }
        case .mean:
            let weights = scale.items.reduce(Quantity.zero) { $0 + Quantity(scale.weights[$1] ?? 1) }
            let sum = ranges.dropFirst().reduce(ranges[0]) { $0.plus($1) }
            reach = Quantity(1).divided(by: weights).map { sum.times($0) }
        case .product: reach = ranges.dropFirst().reduce(ranges[0]) { $0.times($1) }
        case .difference: reach = ranges.count == 2 ? ranges[0].plus(ranges[1].times(Quantity(-1))) : nil
        case .quotient: reach = ranges.count == 2 ? ranges[0].divided(by: ranges[1]) : nil
        case .minimum, .maximum:
            // The least value of all items can be as great as the smallest of their greatest values, and so
            // on.
            let order: (Quantity, Quantity) -> Bool = scale.method == .minimum ? { $0 < $1 } : { $1 < $0 }
            let step = ranges.dropFirst().reduce(ranges[0]) { $0.union($1) }.step
            let ends = [ranges.map(\.least).min(by: order), ranges.map(\.greatest).min(by: order)]
            reach = Reach(ends[0] ?? .zero, ends[1] ?? .zero, step: step)
        case .elapsed, .clock: reach = nil
        }
        // A sum of fewer items, brought up to all of them, can lie anywhere between the ends, and a smaller one
        // below them.
        guard scale.missing.fillsBlanks || scale.blanks.values.contains(.leftOut) else { return reach }
        if scale.missing.shrinks || scale.blanks.values.contains(.leftOut) {
            reach = reach?.union(Reach(.zero, .zero, step: .zero))
        }
        if scale.method != .minimum, scale.method != .maximum { reach?.step = nil }
        return reach
    }

    /// What one item or earlier scale can add, blanks that count included. Reversing keeps a range.
    private mutating func reach(of name: String, _ scale: Scale) -> Reach? {
        var reach = declared(name, scale)
        var extra: [Quantity] = scale.blanks.values.compactMap {
            if case .counts(let value) = $0 { Quantity(value) } else { nil }
        }
        if case .partial(_, .impute(.constant(let value))) = scale.missing { extra.append(Quantity(value)) }
        for value in extra {
            let counted = scale.method == .count ? scale.countReach : Reach(value, value, step: .zero)
            reach = reach?.union(counted)
        }
        return scale.method == .count ? reach : reach?.times(Quantity(scale.weights[name] ?? 1))
    }

    private mutating func declared(_ name: String, _ scale: Scale) -> Reach? {
        if let item = items[name] {
            if item.type.hasOptions, item.repeats {
                if scale.method == .count, scale.counted != nil { return scale.countReach }
                return item.repeatingReach(counted: scale.method == .count, recode: scale.recode[name])
            }
            if scale.method == .count { return scale.countReach }
            if let recode = scale.recode[name] { return item.reach(recode: recode) }
            if let known = ofItems[name] { return known }
            let reach = item.reach(recode: nil)
            ofItems[name] = .some(reach)
            return reach
        }
        guard let place = places[name] else { return nil }
        return scale.method == .count ? scale.countReach : found[place].result
    }

    private func moments(_ scale: Scale) -> Reach? {
        let clocks = scale.items.allSatisfy { items[$0]?.type == .time }
        guard clocks, let end = Quantity(86_399).divided(by: Quantity((scale.unit ?? .minutes).seconds)),
            let step = Quantity(1).divided(by: Quantity((scale.unit ?? .minutes).seconds))
        else { return nil }
        return Reach(.zero, end, step: step)
    }

    private func reach(of step: ScoreTransform, from reach: Reach?) -> Reach? {
        switch step {
        case .multiply(let number): return reach?.times(Quantity(number))
        case .divide(let number):
            return Quantity(1).divided(by: Quantity(number)).flatMap { reach?.times($0) }
        case .add(let number): return reach?.plus(Quantity(number))
        case .pomp: return reach?.percent
        case .clamp(let least, let greatest):
            return reach?.clamped(least.map { Quantity($0) }, greatest.map { Quantity($0) })
        case .wrap(let modulus): return Reach(.zero, Quantity(modulus))
        case .round(let rounding): return reach?.rounded(rounding)
        case .bins(let bins):
            let kept = bins.contains { $0.value == nil }
            let values = Reach(values: bins.compactMap { $0.value.map { Quantity($0) } })
            guard kept else { return values }
            return values.flatMap { reach?.union($0) } ?? reach
        case .lookup(let name):
            return Reach(
                values: (tables[name]?.rows ?? []).compactMap {
                    if case .score(_, let value, _) = $0.entry { Quantity(value) } else { nil }
                })
        case .norm(_, let form):
            return form == .percentile ? Reach(.zero, Quantity(100)) : nil
        }
    }
}
