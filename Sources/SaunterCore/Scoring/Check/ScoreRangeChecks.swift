/// Checks of bands, of ends of ranges, and of declared ranges.
extension ScoringCheck {
    /// The most bands of a scale.
    static let maximumBands = 200

    mutating func checkBands(_ scale: Scale, _ pointer: String, earlier: [String: Int]) {
        guard scale.bands.count <= Self.maximumBands else {
            return faults.add(
                "\(pointer)/bands", "too_many_bands", "A scale has at most \(Self.maximumBands) bands.")
        }
        let ranges = scale.bands.map { ExactRange($0.range) }
        var seen: [String: [Band]] = [:]
        for (index, band) in scale.bands.enumerated() {
            let elementPointer = "\(pointer)/bands/\(index)"
            if !DefinitionName.isValid(band.id) {
                faults.add("\(elementPointer)/id", "bad_id", DefinitionName.rule)
            }
            if let others = seen[band.id], others.contains(where: { !$0.excludes(band) }) {
                faults.add("\(elementPointer)/id", "duplicate_id", "An earlier band has the id \(band.id).")
            }
            seen[band.id, default: []].append(band)
            checkRange(band.range, elementPointer, "The band")
            checkConditions(band.conditions, elementPointer, earlier: earlier)
            let other = ranges[..<index].indices.first {
                ranges[$0].overlaps(ranges[index]) && !scale.bands[$0].excludes(band)
            }
            if let other {
                let name = scale.bands[other].id
                faults.add(elementPointer, "overlapping_bands", "The band overlaps the band \(name).")
            }
        }
    }

    /// Checks that the ends are finite numbers, that there is at most one end on each side, and that the range is not
    /// empty.
    /// - Parameter what: the subject of the message, such as "The band".
    mutating func checkRange(_ range: ScoreRange, _ pointer: String, _ what: String) {
        for (name, end) in [
            ("from", range.from), ("above", range.above), ("below", range.below), ("up_to", range.upTo),
        ] {
            if let end, !end.isFinite {
                faults.add("\(pointer)/\(name)", "out_of_range", "The end of a range is a finite number.")
            }
        }
        if range.from != nil, range.above != nil {
            faults.add(
                "\(pointer)/above", "two_ends", "\(what) begins with `from` or `above`, not with both.")
        }
        if range.below != nil, range.upTo != nil {
            faults.add("\(pointer)/up_to", "two_ends", "\(what) ends with `below` or `up_to`, not with both.")
        }
        if ExactRange(range).isEmpty {
            faults.add(
                "\(pointer)/\(range.below != nil ? "below" : "up_to")", "empty_range",
                "\(what) is empty: no number is between its ends.")
        }
    }

    /// Reports attainable values that no range contains.
    /// - Parameter onlyInside: whether values before the first range and after the last range are permitted.
    mutating func checkGaps(
        _ ranges: [ScoreRange], within attainable: AttainableRange?, _ pointer: String, _ code: String,
        onlyInside: Bool
    ) {
        let sorted = ranges.map { ExactRange($0) }.sorted { $0.isBefore($1) }
        guard let attainable, let first = sorted.first, let last = sorted.last else { return }
        // Overlapping ranges are reported by the callers.
        var gaps: [(ExactRange.End?, ExactRange.End?)] = zip(sorted, sorted.dropFirst()).compactMap {
            guard let end = $0.upper, let beginning = $1.lower, !(beginning.value < end.value) else {
                return nil
            }
            return (end, beginning)
        }
        if !onlyInside {
            if let end = first.lower { gaps.append((nil, end)) }
            if let end = last.upper { gaps.append((end, nil)) }
        }
        for (end, beginning) in gaps {
            guard attainable.hasValue(after: end, before: beginning) else { continue }
            let ends = [
                end.map { "\($0.isInclusive ? "above" : "from") \(JSON.double($0.value.double).text)" },
                beginning.map {
                    "\($0.isInclusive ? "below" : "up to") \(JSON.double($0.value.double).text)"
                },
            ].compactMap(\.self)
            faults.add(
                pointer, code,
                "Values \(ends.joined(separator: " and ")) are possible, but no range covers them.")
        }
    }

    /// Checks the declared range against the attainable range. If the declared range is too narrow, some scores would
    /// be null.
    mutating func checkRange(_ scale: Scale, _ attainable: AttainableRange?, _ pointer: String) {
        for (name, bound) in [("minimum", scale.minimum), ("maximum", scale.maximum)] {
            if let bound, !bound.isFinite {
                faults.add("\(pointer)/\(name)", "out_of_range", "A bound is a finite number.")
            }
        }
        if let least = scale.minimum, let greatest = scale.maximum, least > greatest {
            faults.add("\(pointer)/minimum", "empty_range", "The minimum is greater than the maximum.")
            return
        }
        guard let attainable else { return }
        if let minimum = scale.minimum, minimum.isFinite, attainable.least < Quantity(minimum) {
            faults.add(
                "\(pointer)/minimum", "range_too_narrow",
                "Scores can be as low as \(JSON.double(attainable.least.double).text).")
        }
        if let maximum = scale.maximum, maximum.isFinite, Quantity(maximum) < attainable.greatest {
            faults.add(
                "\(pointer)/maximum", "range_too_narrow",
                "Scores can be as high as \(JSON.double(attainable.greatest.double).text).")
        }
    }
}
