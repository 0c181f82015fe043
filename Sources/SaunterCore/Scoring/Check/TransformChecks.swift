/// Checks of the steps that transform a score.
extension ScoringCheck {
    static let maximumSteps = 20
    static let maximumBins = 200

    /// - Parameter ranges: the attainable range before each step.
    mutating func checkTransform(_ scale: Scale, _ pointer: String, _ ranges: [AttainableRange?]) {
        if scale.transform.count > Self.maximumSteps {
            faults.add(
                "\(pointer)/transform", "too_many_steps",
                "A transform has at most \(Self.maximumSteps) steps.")
        }
        for (index, (step, range)) in zip(scale.transform, ranges).enumerated() {
            check(step, "\(pointer)/transform/\(index)", range)
        }
    }

    private mutating func check(_ step: ScoreTransform, _ pointer: String, _ range: AttainableRange?) {
        switch step {
        case .multiply(let number), .divide(let number):
            if !number.isFinite || number == 0 || abs(number) > 1e9 {
                faults.add(pointer, "out_of_range", "The number is from -1e9 to 1e9, but not 0.")
            }
        case .add(let number):
            if !number.isFinite || abs(number) > 1e9 {
                faults.add(pointer, "out_of_range", "The number is from -1e9 to 1e9.")
            }
        case .pomp:
            if range?.percent == nil {
                faults.add(
                    pointer, "no_range",
                    "The values before this step have no declared range, so there is no maximum possible score."
                )
            }
        case .clamp(let least, let greatest):
            checkRange(ScoreRange(from: least, upTo: greatest), pointer, "The range")
            if least == nil, greatest == nil {
                faults.add(pointer, "no_range", "The step needs `from` or `up_to`.")
            }
        case .wrap(let modulus):
            if !(modulus > 0 && modulus <= 1e9) {
                faults.add(pointer, "out_of_range", "The number is greater than 0 and at most 1e9.")
            }
        case .round(let rounding):
            if !(0...9).contains(rounding.places) {
                faults.add(pointer, "out_of_range", "The number of decimal places is from 0 to 9.")
            }
        case .bins(let bins): check(bins, "\(pointer)/bins", range)
        case .lookup(let name): checkLookup(name, "\(pointer)/lookup", range)
        case .norm(let name, _):
            guard let table = tables[name] else {
                return faults.add("\(pointer)/norm", "unknown_table", "There is no table \(name).")
            }
            if table.rows.contains(where: { if case .score = $0.entry { true } else { false } }) {
                faults.add("\(pointer)/norm", "bad_table", "A norm table needs the columns mean and sd.")
            }
        }
    }

    private mutating func check(_ bins: [ScoreBin], _ pointer: String, _ range: AttainableRange?) {
        guard !bins.isEmpty, bins.count <= Self.maximumBins else {
            return faults.add(pointer, "no_bins", "The step needs 1 to \(Self.maximumBins) bins.")
        }
        let ranges = bins.map { ExactRange($0.range) }
        for (index, bin) in bins.enumerated() {
            let elementPointer = "\(pointer)/\(index)"
            checkRange(bin.range, elementPointer, "The bin")
            if let value = bin.value, !value.isFinite || abs(value) > 1e9 {
                faults.add("\(elementPointer)/value", "out_of_range", "A value is a number from -1e9 to 1e9.")
            }
            if ranges[..<index].contains(where: { $0.overlaps(ranges[index]) }) {
                faults.add(elementPointer, "overlapping_bins", "The bin overlaps an earlier bin.")
            }
        }
        let attainable = range ?? AttainableRange(Quantity(-1e12), Quantity(1e12))
        checkGaps(bins.map(\.range), within: attainable, pointer, "bin_gap", onlyInside: range == nil)
    }

    private mutating func checkLookup(_ name: String, _ pointer: String, _ range: AttainableRange?) {
        guard let table = tables[name] else {
            return faults.add(pointer, "unknown_table", "There is no table \(name).")
        }
        let ranges = table.rows.compactMap { row -> ScoreRange? in
            if case .score(let raw, _, _) = row.entry { raw } else { nil }
        }
        if ranges.count < table.rows.count {
            return faults.add(pointer, "bad_table", "A lookup table needs the columns raw and value.")
        }
        guard let range, table.rows.allSatisfy(\.conditions.isEmpty) else { return }
        checkGaps(ranges, within: range, pointer, "table_gap", onlyInside: false)
    }
}
