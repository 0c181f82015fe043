extension ScoringCheck {
    mutating func checkBands(_ scale: Scale, _ pointer: String) {
        var seen: Set<String> = []
        for (index, band) in scale.bands.enumerated() {
            let here = "\(pointer)/bands/\(index)"
            if !DefinitionName.isValid(band.id) { faults.add("\(here)/id", "bad_id", DefinitionName.rule) }
            if !seen.insert(band.id).inserted {
                faults.add("\(here)/id", "duplicate_id", "An earlier band has the id \(band.id).")
            }
            if let from = band.from, !from.isFinite {
                faults.add("\(here)/from", "out_of_range", "A band begins at a number.")
            }
            if let below = band.below, !below.isFinite {
                faults.add("\(here)/below", "out_of_range", "A band ends at a number.")
            }
            if let from = band.from, let below = band.below, from >= below {
                faults.add("\(here)/below", "empty_range", "The band ends before it begins.")
            }
            if let other = scale.bands[..<index].first(where: { $0.overlaps(band) }) {
                faults.add(here, "overlapping_bands", "The band shares scores with \(other.id).")
            }
        }
    }

    /// The declared range against what the items can reach: too narrow a range would make scores null.
    mutating func checkRange(_ scale: Scale, _ place: Int, _ pointer: String) {
        for (name, bound) in [("minimum", scale.minimum), ("maximum", scale.maximum)] {
            if let bound, !bound.isFinite {
                faults.add("\(pointer)/\(name)", "out_of_range", "A bound is a number.")
            }
        }
        if let least = scale.minimum, let greatest = scale.maximum, least > greatest {
            faults.add("\(pointer)/minimum", "empty_range", "The least score is above the greatest.")
            return
        }
        guard let reach = reach[place] else { return }
        if let minimum = scale.minimum, minimum.isFinite, reach.least < Quantity(minimum) {
            faults.add(
                "\(pointer)/minimum", "range_too_narrow",
                "Scores can be as low as \(JSON.double(reach.least.double).text).")
        }
        if let maximum = scale.maximum, maximum.isFinite, Quantity(maximum) < reach.greatest {
            faults.add(
                "\(pointer)/maximum", "range_too_narrow",
                "Scores can be as high as \(JSON.double(reach.greatest.double).text).")
        }
    }

    /// Nil when an item is unbounded or unknown.
    func reach(of scale: Scale, earlier: [String: Int]) -> (least: Quantity, greatest: Quantity)? {
        guard !scale.items.isEmpty else { return nil }
        var ranges: [(least: Quantity, greatest: Quantity)] = []
        for name in scale.items {
            guard let range = reach(ofTerm: name, counted: scale.method == .count, earlier: earlier) else {
                return nil
            }
            ranges.append(range)
        }
        var least: Quantity
        var greatest: Quantity
        switch scale.method {
        case .sum, .count, .mean, .value:
            least = ranges.reduce(.zero) { $0 + $1.least }
            greatest = ranges.reduce(.zero) { $0 + $1.greatest }
            if scale.method == .mean {
                least = least.divided(by: ranges.count)
                greatest = greatest.divided(by: ranges.count)
            }
        case .minimum, .maximum:
            // The least value of all items can be as great as the smallest of their greatest values, and so
            // on.
            let picksLeast = scale.method == .minimum
            least = pick(ranges.map(\.least), least: picksLeast)
            greatest = pick(ranges.map(\.greatest), least: picksLeast)
        }
        let ends = [least, greatest].map { end in
            let value = end * Quantity(scale.factor) + Quantity(scale.offset)
            return scale.rounding.map { value.rounded($0) } ?? value
        }
        return scale.factor < 0 ? (ends[1], ends[0]) : (ends[0], ends[1])
    }

    private func pick(_ values: [Quantity], least: Bool) -> Quantity {
        (least ? values.min(by: <) : values.max(by: <)) ?? .zero
    }

    /// What one item or earlier scale can add. Reversing keeps a range.
    private func reach(ofTerm name: String, counted: Bool, earlier: [String: Int]) -> (
        least: Quantity, greatest: Quantity
    )? {
        if let item = items[name] {
            if item.type == .choice, item.repeats { return item.repeatingReach(counted: counted) }
            if counted { return (Quantity(0), Quantity(1)) }
            return item.declaredRange.map { ($0.minimum, $0.maximum) }
        }
        guard let place = earlier[name] else { return nil }
        return counted ? (Quantity(0), Quantity(1)) : reach[place]
    }
}

extension Item {
    /// The bounds of what any choice of options can count: all negative, or all positive weights together.
    fileprivate func repeatingReach(counted: Bool) -> (least: Quantity, greatest: Quantity) {
        let weights = answerOption.compactMap { weight(of: $0) }
        if counted { return (Quantity(0), Quantity(weights.count { $0 != .zero })) }
        return (
            weights.filter { $0 < .zero }.reduce(.zero, +), weights.filter { .zero < $0 }.reduce(.zero, +)
        )
    }
}

extension Band {
    fileprivate func overlaps(_ other: Band) -> Bool {
        (from ?? -.infinity) < (other.below ?? .infinity) && (other.from ?? -.infinity) < (below ?? .infinity)
    }
}
