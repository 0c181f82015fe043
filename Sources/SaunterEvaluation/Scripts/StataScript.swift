import SaunterCore

/// `load/load.do`: reads every table of codes into a frame of its own, with types, labels and, in wide tables, the reason in
/// every blank as an extended missing value.
struct StataScript {
    /// Stata's longest label of a variable, in characters.
    private static let longestLabel = 80

    let tables: [Table]
    let labels: CodeLabels

    var bytes: [UInt8] {
        let start = """
            * Loads this dataset into Stata 16 or newer. First go to the folder that holds manifest.json: cd "…"
            * Every table becomes a frame of its name; free texts stay in their files.
            version 16

            """
        return Array((start + tables.filter { !$0.isProse }.map(text).joined(separator: "\n")).utf8)
    }

    private func text(_ table: Table) -> String {
        let names = StatisticsName.names(table.columns, for: .stata)
        let mask = tables.first { $0.instrument != nil && $0.name == table.name + "_missing" }
        var lines = [
            "capture frame drop \(table.name)", "frame create \(table.name)", "frame change \(table.name)",
        ]
        lines.append(Self.reading(table.path(.csv)))
        for (place, name) in names.enumerated() where name != table.columns[place].name {
            lines.append("rename \(table.columns[place].name) \(name)")
        }
        for (column, name) in zip(table.columns, names) { lines += Self.typed(column, name) }
        if let mask {
            let reasoned = zip(table.columns, names).filter { $0.0.item != nil && $0.0.type != .string }
            lines += Self.reasons(mask, table, reasoned.map { (wanted: $0.0.name, name: $0.1) })
        }
        for (place, pair) in zip(table.columns, names).enumerated() {
            lines.append(
                "label variable \(pair.1) \(Self.literal(String(pair.0.label.prefix(Self.longestLabel))))")
            let takesReasons = mask != nil && pair.0.item != nil
            lines += valueLabels(pair.0, pair.1, "labels\(place + 1)", takesReasons)
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func reading(_ path: String) -> String {
        "import delimited using \"\(path)\", varnames(1) case(preserve) encoding(\"UTF-8\") bindquote(strict) "
            + "stringcols(_all) clear"
    }

    /// A column that came as text, in its own type and place.
    private static func typed(_ column: Column, _ name: String) -> [String] {
        func made(_ expression: String, _ format: String) -> [String] {
            [
                "generate double saunter_new = \(expression)", "order saunter_new, after(\(name))",
                "drop \(name)", "rename saunter_new \(name)", "format \(name) \(format)",
            ]
        }
        let format = StatisticsTime.format(column.type, for: .stata) ?? ""
        switch column.type {
        case .string: return []
        case .integer, .number, .boolean: return ["destring \(name), replace"]
        case .date: return made("date(\(name), \"YMD\")", format)
        case .instant, .local:
            let clock = "subinstr(subinstr(\(name), \"T\", \" \", 1), \"Z\", \"\", 1)"
            return made("clock(\(clock), \"YMDhms\")", format)
        case .time: return made("clock(\(name), \"hms\")", format)
        }
    }

    /// Puts the reasons of the mask into the blanks.
    private static func reasons(
        _ mask: Table, _ table: Table, _ reasoned: [(wanted: String, name: String)]
    ) -> [String] {
        guard !reasoned.isEmpty else { return [] }
        var lines = [
            "capture frame drop saunter_reasons", "frame create saunter_reasons",
            "frame change saunter_reasons",
            reading(mask.path(.csv)), "frame change \(table.name)",
            "frlink 1:1 \(table.key.joined(separator: " ")), frame(saunter_reasons) generate(saunter_link)",
        ]
        for (wanted, name) in reasoned {
            lines.append("capture destring \(name), replace")
            lines.append("frget saunter_why = \(wanted), from(saunter_link)")
            // A column without any value was read as text that destring leaves a number.
            lines.append("capture confirm string variable saunter_why")
            lines.append("if _rc == 0 {")
            for reason in MissingReason.allCases.sorted(by: { $0.rawValue < $1.rawValue }) {
                lines.append("    replace \(name) = \(reason.stata) if saunter_why == \"\(reason.code)\"")
            }
            lines += ["}", "drop saunter_why"]
        }
        return lines + ["drop saunter_link", "frame drop saunter_reasons"]
    }

    private func valueLabels(
        _ column: Column, _ name: String, _ set: String, _ takesReasons: Bool
    ) -> [String] {
        guard column.type != .string else { return [] }
        let codes = labels.of(column).filter { Int32($0.code) != nil }
        let reasons = MissingReason.allCases.sorted { $0.rawValue < $1.rawValue }
            .map { (code: $0.stata, label: $0.label) }
        let all = codes + (takesReasons ? reasons : [])
        guard !all.isEmpty else { return [] }
        return ["label define \(set) ///"]
            + all.enumerated().map { place, pair in
                "    \(pair.code) \(Self.literal(pair.label))\(place < all.count - 1 ? " ///" : "")"
            } + ["label values \(name) \(set)"]
    }

    /// A text in compound quotes, in which nothing is a macro.
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
