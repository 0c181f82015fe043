/// Checks of lookup tables and norm tables.
extension ScoringCheck {
    static let maximumTables = 20
    static let maximumRows = 1000

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
}

extension LookupTable.Row {
    /// The raw values of the row. A norm row applies to all values.
    fileprivate var range: ExactRange {
        if case .score(let raw, _, _) = entry { ExactRange(raw) } else { ExactRange(ScoreRange()) }
    }

    /// Whether no participant fulfils the conditions of both rows.
    fileprivate func excludes(_ other: LookupTable.Row) -> Bool {
        conditions.contains { one in other.conditions.contains { one.excludes($0) } }
    }
}
