extension ScoringCheck {
    static let maximumSteps = 20
    static let maximumRows = 1000
    static let maximumTables = 20

    /// - Parameter reach: before each step.
    mutating func checkTransform(_ scale: Scale, _ pointer: String, _ reach: [Reach?]) {
        if scale.transform.count > Self.maximumSteps {
            faults.add(
                "\(pointer)/transform", "too_many_steps", "At most \(Self.maximumSteps) steps are taken.")
        }
        for (index, (step, reach)) in zip(scale.transform, reach).enumerated() {
            check(step, "\(pointer)/transform/\(index)", reach)
        }
    }

    private mutating func check(_ step: ScoreTransform, _ pointer: String, _ reach: Reach?) {
        switch step {
        case .multiply(let number), .divide(let number):
            if !number.isFinite || number == 0 || abs(number) > 1e9 {
                faults.add(pointer, "out_of_range", "It is a number other than 0, up to 1e9.")
            }
        case .add(let number):
            if !number.isFinite || abs(number) > 1e9 {
                faults.add(pointer, "out_of_range", "It is a number up to 1e9.")
            }
        case .pomp:
            if reach?.percent == nil {
                faults.add(
                    pointer, "no_range", "The values before have no declared range to be a percent of.")
            }
        case .clamp(let least, let greatest):
            checkRange(ScoreRange(from: least, upTo: greatest), pointer, "The range")
            if least == nil, greatest == nil { faults.add(pointer, "no_range", "An end is needed.") }
        case .wrap(let modulus):
            if !(modulus > 0 && modulus <= 1e9) {
                faults.add(pointer, "out_of_range", "It is a number above 0, up to 1e9.")
            }
        case .round(let rounding):
            if !(0...9).contains(rounding.places) {
                faults.add(pointer, "out_of_range", "Decimal places are from 0 to 9.")
            }
        case .bins(let bins): check(bins, "\(pointer)/bins", reach)
        case .lookup(let name): checkLookup(name, "\(pointer)/lookup", reach)
        case .norm(let name, _):
            guard let table = tables[name] else {
                return faults.add("\(pointer)/norm", "unknown_table", "There is no table \(name).")
            }
            if table.rows.contains(where: { if case .score = $0.entry { true } else { false } }) {
                faults.add("\(pointer)/norm", "bad_table", "A norm table has the columns mean and sd.")
            }
        }
    }

    private mutating func check(_ bins: [ScoreBin], _ pointer: String, _ reach: Reach?) {
        guard !bins.isEmpty, bins.count <= Self.maximumRows else {
            return faults.add(pointer, "no_bins", "There are from 1 to \(Self.maximumRows) bins.")
        }
        let ranges = bins.map { ExactRange($0.range) }
        for (index, bin) in bins.enumerated() {
            let here = "\(pointer)/\(index)"
            checkRange(bin.range, here, "The bin")
            if let value = bin.value, !value.isFinite || abs(value) > 1e9 {
                faults.add("\(here)/value", "out_of_range", "A value is a number up to 1e9.")
            }
            if ranges[..<index].contains(where: { $0.overlaps(ranges[index]) }) {
                faults.add(here, "overlapping_bins", "An earlier bin has values of this one.")
            }
        }
        let everything = reach ?? Reach(Quantity(-1e12), Quantity(1e12))
        checkGaps(bins.map(\.range), within: everything, pointer, "bin_gap", onlyInside: reach == nil)
    }

    private mutating func checkLookup(_ name: String, _ pointer: String, _ reach: Reach?) {
        guard let table = tables[name] else {
            return faults.add(pointer, "unknown_table", "There is no table \(name).")
        }
        let ranges = table.rows.compactMap { row -> ScoreRange? in
            if case .score(let raw, _, _) = row.entry { raw } else { nil }
        }
        if ranges.count < table.rows.count {
            return faults.add(pointer, "bad_table", "A lookup table has the columns raw and value.")
        }
        guard let reach else { return }
        let isEverybodys = table.rows.allSatisfy(\.conditions.isEmpty)
        if isEverybodys { checkGaps(ranges, within: reach, pointer, "table_gap", onlyInside: false) }
    }

    mutating func checkTables() {
        guard key.tables.count <= Self.maximumTables else {
            return faults.add(
                "/scoring/tables", "too_many_tables", "At most \(Self.maximumTables) tables are taken.")
        }
        var seen: Set<String> = []
        for (index, table) in key.tables.enumerated() {
            let here = "/scoring/tables/\(index)"
            if !DefinitionName.isValid(table.id) { faults.add("\(here)/id", "bad_id", DefinitionName.rule) }
            if !seen.insert(table.id).inserted {
                faults.add("\(here)/id", "duplicate_id", "An earlier table has the id \(table.id).")
            }
            if table.source.allSatisfy(\.isWhitespace) {
                faults.add("\(here)/source", "no_source", "A table says where its numbers come from.")
            }
            if table.rows.isEmpty || table.rows.count > Self.maximumRows {
                faults.add(
                    "\(here)/rows", "bad_table", "A table has from 1 to \(Self.maximumRows) rows.")
                continue
            }
            let ranges = table.rows.map(\.range)
            for (place, row) in table.rows.enumerated() {
                check(row, "\(here)/rows/\(place)")
                let isShared = ranges[..<place].indices.contains { other in
                    ranges[other].overlaps(ranges[place]) && !table.rows[other].excludes(row)
                }
                if isShared {
                    faults.add(
                        "\(here)/rows/\(place)", "overlapping_rows",
                        "An earlier row holds for values of this one.")
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
                faults.add(pointer, "out_of_range", "A value is a number, a standard error not below 0.")
            }
        case .norm(let mean, let deviation):
            if !mean.isFinite || !(deviation > 0) || !deviation.isFinite {
                faults.add(pointer, "out_of_range", "A mean is a number, an SD one above 0.")
            }
        }
    }

    mutating func checkChange(_ scale: Scale, _ pointer: String) {
        guard let change = scale.change else { return }
        let here = "\(pointer)/change"
        if !(change.standardDeviation > 0 && change.standardDeviation <= 1e9) {
            faults.add("\(here)/sd", "out_of_range", "An SD is above 0.")
        }
        if !(change.reliability >= 0 && change.reliability < 1) {
            faults.add("\(here)/reliability", "out_of_range", "A reliability is from 0 to below 1.")
        }
        if let important = change.important, !(important > 0 && important <= 1e9) {
            faults.add("\(here)/important", "out_of_range", "An important difference is above 0.")
        }
        if change.source.allSatisfy(\.isWhitespace) {
            faults.add("\(here)/source", "no_source", "The numbers come from somewhere.")
        }
    }
}

extension LookupTable.Row {
    /// The raw values that it holds for; a norm holds for all.
    fileprivate var range: ExactRange {
        if case .score(let raw, _, _) = entry { ExactRange(raw) } else { ExactRange(ScoreRange()) }
    }

    /// Whether no person is in both by their conditions.
    fileprivate func excludes(_ other: LookupTable.Row) -> Bool {
        conditions.contains { one in other.conditions.contains { one.excludes($0) } }
    }
}
