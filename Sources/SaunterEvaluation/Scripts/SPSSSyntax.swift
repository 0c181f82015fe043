import SaunterCore

/// `load/load.sps`: reads every table of codes into a dataset of its own, with types, labels and user-missing values. No
/// line is longer than SPSS reads.
struct SPSSSyntax {
    /// SPSS's longest label of a variable and of a value, in bytes.
    private static let longestLabel = 255
    private static let longestValueLabel = 120

    let tables: [Table]
    let labels: CodeLabels

    var bytes: [UInt8] {
        let start = """
            * Loads this dataset into SPSS. First go to the folder that holds manifest.json: CD '…'.
            * Every table becomes a dataset of its name; free texts stay in their files.
            SET DECIMAL=DOT.

            """
        return Array((start + tables.filter { !$0.isProse }.map(text).joined(separator: "\n")).utf8)
    }

    private func text(_ table: Table) -> String {
        let names = StatisticsName.names(table.columns, for: .spss)
        let pairs = Array(zip(table.columns, names))
        let mask = tables.first { $0.instrument != nil && $0.name == table.name + "_missing" }
        let reasoned =
            mask == nil
            ? []
            : pairs.enumerated().filter { CodeLabels.hasRoomForReasons($1.0) }.map { (place: $0, name: $1.1) }
        var lines: [String] = []
        if let mask, !reasoned.isEmpty { lines += readingReasons(table, mask, reasoned) }
        lines += reading(table, pairs.enumerated().map { Self.variable($1.0, $1.1, $0) })
        for (place, pair) in pairs.enumerated() {
            if let value = Self.moment(pair.0.type, "t\(place)") {
                lines += [
                    "COMPUTE \(pair.1) =", value + ".", "FORMATS \(pair.1) (\(Self.shown(pair.0.type))).",
                ]
            }
        }
        if !reasoned.isEmpty { lines += givingReasons(table, reasoned) }
        lines += ["MATCH FILES /FILE=* /KEEP="] + names.map { "  \($0)" } + ["."]
        for (column, name) in pairs {
            lines += [
                "VARIABLE LABELS \(name)", Self.literal(column.label.prefix(bytes: Self.longestLabel)) + ".",
            ]
            let takesReasons = reasoned.contains { $0.name == name }
            lines += valueLabels(column, name, takesReasons)
            if takesReasons { lines.append("MISSING VALUES \(name) (-999 THRU -990).") }
        }
        lines += ["EXECUTE.", "DATASET COPY \(table.name)."]
        return lines.joined(separator: "\n") + "\n"
    }

    private func reading(_ table: Table, _ variables: [String]) -> [String] {
        [
            "GET DATA /TYPE=TXT", "  /FILE='\(table.path(.csv))'", "  /ENCODING='UTF-8'",
            "  /ARRANGEMENT=DELIMITED /DELCASE=LINE /FIRSTCASE=2", "  /DELIMITERS=',' /QUALIFIER='\"'",
            "  /VARIABLES=",
        ] + variables.map { "  \($0)" } + ["."]
    }

    /// Times are read as texts first, `t<place>`.
    private static func variable(_ column: Column, _ name: String, _ place: Int) -> String {
        switch column.type {
        case .string:
            column.form.isPseudonym || column.name == "participant_id" ? "\(name) A64" : "\(name) A255"
        case .integer, .number, .boolean: "\(name) F40.0"
        case .date, .instant, .local, .time: "t\(place) A24"
        }
    }

    /// Reads the mask into a dataset of its own.
    private func readingReasons(
        _ table: Table, _ mask: Table, _ reasoned: [(place: Int, name: String)]
    ) -> [String] {
        let variables = mask.columns.enumerated().map { place, column in
            if table.key.contains(column.name) { return "\(column.name) A64" }
            return reasoned.contains { $0.place == place } ? "m\(place) A64" : "x\(place) A255"
        }
        return reading(mask, variables) + ["DATASET COPY saunter_reasons."]
    }

    /// Puts the reasons of the mask into the blanks.
    private func givingReasons(_ table: Table, _ reasoned: [(place: Int, name: String)]) -> [String] {
        let given = reasoned.map { "    m\($0.place)" } + ["  /v ="] + reasoned.map { "    \($0.name)" }
        let codes = MissingReason.allCases.sorted { $0.rawValue < $1.rawValue }
        return [
            "EXECUTE.", "MATCH FILES /FILE=* /FILE=saunter_reasons /BY \(table.key.joined(separator: " ")).",
            "DO REPEAT m =",
        ] + given + ["  ."]
            + codes.map { "IF (m EQ '\($0.code)') v = \($0.rawValue)." }
            + ["END REPEAT.", "EXECUTE.", "DATASET CLOSE saunter_reasons."]
    }

    private func valueLabels(_ column: Column, _ name: String, _ takesReasons: Bool) -> [String] {
        let codes = labels.of(column).map { code, label in
            (column.type == .string ? "'\(code)'" : code, label)
        }
        let reasons = MissingReason.allCases.sorted { $0.rawValue < $1.rawValue }
            .map { (String($0.rawValue), $0.label) }
        let all = codes + (takesReasons ? reasons : [])
        guard !all.isEmpty else { return [] }
        return ["VALUE LABELS \(name)"]
            + all.map { "  \($0) \(Self.literal($1.prefix(bytes: Self.longestValueLabel)))" } + ["."]
    }

    /// A text in quotes, in pieces that leave every line short enough.
    static func literal(_ text: String) -> String {
        var pieces: [String] = []
        var rest = text.map { $0.isNewline ? " " : $0 }[...]
        repeat {
            let piece = String(rest).prefix(bytes: 100)
            rest = rest.dropFirst(max(1, piece.count))
            pieces.append("'\(piece.replacing("'", with: "''"))'")
        } while !rest.isEmpty
        return pieces.joined(separator: " +\n    ")
    }

    private static func shown(_ type: ColumnType) -> String {
        StatisticsTime.format(type, for: .spss) ?? "F8.0"
    }

    /// The expression that makes a time of its text; nil for what is no time.
    private static func moment(_ type: ColumnType, _ text: String) -> String? {
        func number(_ start: Int, _ length: Int) -> String {
            "NUMBER(SUBSTR(\(text),\(start),\(length)),F\(length).0)"
        }
        func clock(_ start: Int, seconds: Int) -> String {
            "\(number(start, 2)) * 3600 + \(number(start + 3, 2)) * 60\n  + \(number(start + 6, seconds))"
        }
        let date = "DATE.DMY(\(number(9, 2)),\n    \(number(6, 2)),\(number(1, 4)))"
        switch type {
        case .date: return "  \(date)"
        case .instant, .local: return "  \(date)\n  + \(clock(12, seconds: 6))"
        case .time: return "  \(clock(1, seconds: 2))"
        case .string, .integer, .number, .boolean: return nil
        }
    }
}
