import SaunterCore

/// Generates `load/load.do`, which reads every table into a separate Stata frame, with types and labels. In wide tables
/// every blank becomes the extended missing value of its reason.
package struct StataScript {
    /// The maximum length of a variable label in Stata, in characters.
    private static let longestLabel = 80

    private let tables: [StatisticsTable]

    /// - Parameter tables: the tables without free text.
    package init(tables: [StatisticsTable]) {
        self.tables = tables
    }

    /// The text of the script.
    package var bytes: [UInt8] {
        let start = """
            * Loads this dataset into Stata 16 or newer. First go to the folder that holds manifest.json: cd "…"
            * Every table becomes a frame of its name; free texts stay in their files.
            version 16

            """
        return Array((start + tables.map(text).joined(separator: "\n")).utf8)
    }

    private func text(_ table: StatisticsTable) -> String {
        let names = table.columns.map(\.stataName)
        var lines = [
            "capture frame drop \(table.name)", "frame create \(table.name)", "frame change \(table.name)",
        ]
        lines.append(Self.read(table.path))
        for (index, name) in names.enumerated() where name != table.columns[index].name {
            lines.append("rename \(table.columns[index].name) \(name)")
        }
        for (column, name) in zip(table.columns, names) { lines += Self.convert(column, name) }
        if let reasons = table.reasons {
            let reasonColumns = zip(table.columns, names).filter { $0.0.isAnswer && $0.0.kind != .string }
            lines += Self.applyReasons(reasons, table, reasonColumns.map { (wanted: $0.0.name, name: $0.1) })
        }
        for (index, pair) in zip(table.columns, names).enumerated() {
            lines.append(
                "label variable \(pair.1) \(Self.literal(String(pair.0.label.prefix(Self.longestLabel))))")
            let hasReasons = table.reasons != nil && pair.0.isAnswer
            lines += valueLabels(pair.0, pair.1, "labels\(index + 1)", hasReasons)
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func read(_ path: String) -> String {
        "import delimited using \"\(path)\", varnames(1) case(preserve) encoding(\"UTF-8\") bindquote(strict) "
            + "stringcols(_all) clear"
    }

    /// Converts a column from text to its type and keeps its position.
    private static func convert(_ column: StatisticsColumn, _ name: String) -> [String] {
        func conversion(_ expression: String, _ format: String) -> [String] {
            [
                "generate double saunter_new = \(expression)", "order saunter_new, after(\(name))",
                "drop \(name)", "rename saunter_new \(name)", "format \(name) \(format)",
            ]
        }
        let format = StatisticsTime.format(column.kind, for: .stata) ?? ""
        switch column.kind {
        case .string: return []
        case .integer, .number, .boolean: return ["destring \(name), replace"]
        case .date: return conversion("date(\(name), \"YMD\")", format)
        case .instant, .local:
            let clock = "subinstr(subinstr(\(name), \"T\", \" \", 1), \"Z\", \"\", 1)"
            return conversion("clock(\(clock), \"YMDhms\")", format)
        case .time: return conversion("clock(\(name), \"hms\")", format)
        }
    }

    /// Replaces blanks by the extended missing values of their reasons.
    private static func applyReasons(
        _ reasons: StatisticsTable.ReasonsFile, _ table: StatisticsTable,
        _ reasonColumns: [(wanted: String, name: String)]
    ) -> [String] {
        guard !reasonColumns.isEmpty else { return [] }
        var lines = [
            "capture frame drop saunter_reasons", "frame create saunter_reasons",
            "frame change saunter_reasons",
            read(reasons.path), "frame change \(table.name)",
            "frlink 1:1 \(table.key.joined(separator: " ")), frame(saunter_reasons) generate(saunter_link)",
        ]
        for (wanted, name) in reasonColumns {
            lines.append("capture destring \(name), replace")
            lines.append("frget saunter_why = \(wanted), from(saunter_link)")
            // `destring` converts a column without any value to a number.
            lines.append("capture confirm string variable saunter_why")
            lines.append("if _rc == 0 {")
            for reason in MissingReason.ordered {
                lines.append("    replace \(name) = \(reason.stata) if saunter_why == \"\(reason.code)\"")
            }
            lines += ["}", "drop saunter_why"]
        }
        return lines + ["drop saunter_link", "frame drop saunter_reasons"]
    }

    private func valueLabels(
        _ column: StatisticsColumn, _ name: String, _ set: String, _ hasReasons: Bool
    ) -> [String] {
        guard column.kind != .string else { return [] }
        let codes = column.codes.filter { Int32($0.code) != nil }
        let reasons = MissingReason.ordered
            .map { (code: $0.stata, label: $0.label) }
        let all = codes + (hasReasons ? reasons : [])
        guard !all.isEmpty else { return [] }
        return ["label define \(set) ///"]
            + all.enumerated().map { index, pair in
                "    \(pair.code) \(Self.literal(pair.label))\(index < all.count - 1 ? " ///" : "")"
            } + ["label values \(name) \(set)"]
    }

    /// A string in compound quotation marks, in which Stata expands no macro.
    static func literal(_ text: String) -> String {
        let safe = text.map { character -> String in
            switch character {
            case "`": "'"
            case "$": "\\$"
            case _ where character.isNewline: " "
            default: String(character)
            }
        }
        return "`\"\(safe.joined())\"'"
    }
}
