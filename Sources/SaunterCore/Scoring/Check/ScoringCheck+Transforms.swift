/// Checks of transforms, tables, change rules and window rules.
extension ScoringCheck {
    static let maximumSteps = 20
    static let maximumRows = 1000
    static let maximumBins = 200
    static let maximumTables = 20
    static let maximumWindows = 10
    static let maximumWindowDays = 3660

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

    mutating func checkTables() {
        guard key.tables.count <= Self.maximumTables else {
            return faults.add(
                "/scoring/tables", "too_many_tables",
                "A scoring key has at most \(Self.maximumTables) tables.")
        }
        var seen: Set<String> = []
        for (index, table) in key.tables.enumerated() {
            let elementPointer = "/scoring/tables/\(index)"
            if !DefinitionName.isValid(table.id) {
                faults.add("\(elementPointer)/id", "bad_id", DefinitionName.rule)
            }
            if !seen.insert(table.id).inserted {
                faults.add("\(elementPointer)/id", "duplicate_id", "An earlier table has the id \(table.id).")
            }
            if table.source.allSatisfy(\.isWhitespace) {
                faults.add(
                    "\(elementPointer)/source", "no_source", "A table needs the source of its numbers.")
            }
            if table.rows.isEmpty || table.rows.count > Self.maximumRows {
                faults.add(
                    "\(elementPointer)/rows", "bad_table", "A table has from 1 to \(Self.maximumRows) rows.")
                continue
            }
            let ranges = table.rows.map(\.range)
            for (number, row) in table.rows.enumerated() {
                check(row, "\(elementPointer)/rows/\(number)")
                let overlapsEarlier = ranges[..<number].indices.contains { other in
                    ranges[other].overlaps(ranges[number]) && !table.rows[other].excludes(row)
                }
                if overlapsEarlier {
                    faults.add(
                        "\(elementPointer)/rows/\(number)", "overlapping_rows",
                        "The row overlaps an earlier row.")
                }
            }
        }
    }

    private mutating func check(_ row: LookupTable.Row, _ pointer: String) {
        checkConditions(row.conditions, pointer, earlier: [:])
        switch row.entry {
        case .score(let raw, let value, let error):
            checkRange(raw, pointer, "The row")
            if !value.isFinite || error.map({ !($0 >= 0) }) ?? false {
                faults.add(
                    pointer, "out_of_range", "A value is a finite number, and a standard error is at least 0."
                )
            }
        case .norm(let mean, let deviation):
            if !mean.isFinite || !(deviation > 0) || !deviation.isFinite {
                faults.add(pointer, "out_of_range", "A mean is a finite number, and an sd is greater than 0.")
            }
        }
    }

    mutating func checkChange(_ scale: Scale, _ pointer: String) {
        guard let change = scale.change else { return }
        let elementPointer = "\(pointer)/change"
        if !(change.standardDeviation > 0 && change.standardDeviation <= 1e9) {
            faults.add("\(elementPointer)/sd", "out_of_range", "An sd is greater than 0 and at most 1e9.")
        }
        if !(change.reliability >= 0 && change.reliability < 1) {
            faults.add(
                "\(elementPointer)/reliability", "out_of_range",
                "A reliability is at least 0 and less than 1.")
        }
        if let important = change.important, !(important > 0 && important <= 1e9) {
            faults.add(
                "\(elementPointer)/important", "out_of_range",
                "An important difference is greater than 0 and at most 1e9.")
        }
        if change.source.allSatisfy(\.isWhitespace) {
            faults.add(
                "\(elementPointer)/source", "no_source", "A change rule needs the source of its numbers.")
        }
    }

    mutating func checkWindows(_ scale: Scale, _ pointer: String) {
        guard scale.windows.count <= Self.maximumWindows else {
            return faults.add(
                "\(pointer)/windows", "too_many_windows",
                "A scale has at most \(Self.maximumWindows) windows.")
        }
        var seen: Set<String> = []
        for (index, window) in scale.windows.enumerated() {
            let elementPointer = "\(pointer)/windows/\(index)"
            if !DefinitionName.isValid(window.id) {
                faults.add("\(elementPointer)/id", "bad_id", DefinitionName.rule)
            }
            if !seen.insert(window.id).inserted {
                faults.add(
                    "\(elementPointer)/id", "duplicate_id", "An earlier window has the id \(window.id).")
            }
            if let days = window.days, !(1...Self.maximumWindowDays).contains(days) {
                faults.add(
                    "\(elementPointer)/days", "out_of_range",
                    "A window has 1 to \(Self.maximumWindowDays) days.")
            }
            if !(1...10_000).contains(window.minimum) {
                faults.add(
                    "\(elementPointer)/minimum", "out_of_range", "The minimum is from 1 to 10,000 scores.")
            }
        }
    }
}

extension LookupTable.Row {
    /// The raw values of the row. A norm row applies to all values.
    fileprivate var range: ExactRange {
        if case .score(let raw, _, _) = entry { ExactRange(raw) } else { ExactRange(ScoreRange()) }
    }

    /// Whether the conditions of both rows can never be true for the same participant.
    fileprivate func excludes(_ other: LookupTable.Row) -> Bool {
        conditions.contains { one in other.conditions.contains { one.excludes($0) } }
    }
}
