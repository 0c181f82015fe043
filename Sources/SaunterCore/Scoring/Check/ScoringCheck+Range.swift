extension ScoringCheck {
    mutating func checkBands(_ scale: Scale, _ pointer: String, earlier: [String: Int]) {
        let ranges = scale.bands.map { ExactRange($0.range) }
        var seen: [String: [Band]] = [:]
        for (index, band) in scale.bands.enumerated() {
            let here = "\(pointer)/bands/\(index)"
            if !DefinitionName.isValid(band.id) { faults.add("\(here)/id", "bad_id", DefinitionName.rule) }
            if let others = seen[band.id], others.contains(where: { !$0.excludes(band) }) {
                faults.add("\(here)/id", "duplicate_id", "An earlier band has the id \(band.id).")
            }
            seen[band.id, default: []].append(band)
            checkRange(band.range, here, "The band")
            checkConditions(band.conditions, here, earlier: earlier)
            let other = ranges[..<index].indices.first {
                ranges[$0].overlaps(ranges[index]) && !scale.bands[$0].excludes(band)
            }
            if let other {
                let name = scale.bands[other].id
                faults.add(here, "overlapping_bands", "The band shares scores with \(name).")
            }
        }
    }

    /// The ends of a range: numbers, one for each side, and something between them.
    mutating func checkRange(_ range: ScoreRange, _ pointer: String, _ what: String) {
        for (name, end) in [
            ("from", range.from), ("above", range.above), ("below", range.below), ("upTo", range.upTo),
        ] {
            if let end, !end.isFinite {
                faults.add("\(pointer)/\(name)", "out_of_range", "The end of a range is a number.")
            }
        }
        if range.from != nil, range.above != nil {
            faults.add("\(pointer)/above", "two_ends", "\(what) begins at from or above, not both.")
        }
        if range.below != nil, range.upTo != nil {
            faults.add("\(pointer)/upTo", "two_ends", "\(what) ends at below or up_to, not both.")
        }
        if ExactRange(range).isEmpty {
            faults.add(
                "\(pointer)/\(range.below != nil ? "below" : "upTo")", "empty_range",
                "\(what) ends before it begins.")
        }
    }

    /// Pieces of a scale that leave out values which the scale can take.
    /// - Parameter onlyInside: whether values before the first piece and after the last are let be.
    mutating func checkGaps(
        _ ranges: [ScoreRange], within reach: Reach?, _ pointer: String, _ code: String, onlyInside: Bool
    ) {
        let pieces = ranges.map { ExactRange($0) }.sorted { $0.isBefore($1) }
        guard let reach, let first = pieces.first, let last = pieces.last else { return }
        // Two that overlap are told of elsewhere.
        var gaps: [(ExactRange.End?, ExactRange.End?)] = zip(pieces, pieces.dropFirst()).compactMap {
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
            guard reach.hasValue(after: end, before: beginning) else { continue }
            let edge = (end ?? beginning)?.value.double ?? 0
            faults.add(
                pointer, code,
                "Values \(end == nil ? "before" : "after") \(JSON.double(edge).text) can come out and have no place."
            )
        }
    }

    /// The declared range against what the items can reach: too narrow a range would make scores null.
    mutating func checkRange(_ scale: Scale, _ reach: Reach?, _ pointer: String) {
        for (name, bound) in [("minimum", scale.minimum), ("maximum", scale.maximum)] {
            if let bound, !bound.isFinite {
                faults.add("\(pointer)/\(name)", "out_of_range", "A bound is a number.")
            }
        }
        if let least = scale.minimum, let greatest = scale.maximum, least > greatest {
            faults.add("\(pointer)/minimum", "empty_range", "The least score is above the greatest.")
            return
        }
        guard let reach else { return }
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
}
