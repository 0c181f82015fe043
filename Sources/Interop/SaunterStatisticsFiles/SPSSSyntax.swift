import SaunterCore

/// Generates `load/load.sps`, which reads every table into a separate SPSS dataset, with types, labels and user-missing
/// values. No line exceeds the maximum length of SPSS.
package struct SPSSSyntax {
    /// The maximum length of a variable label and of a value label in SPSS, in bytes.
    private static let longestLabel = 255
    private static let longestValueLabel = 120

    private let tables: [StatisticsTable]

    /// - Parameter tables: the tables without free text.
    package init(tables: [StatisticsTable]) {
        self.tables = tables
    }

    /// The text of the script.
    package var bytes: [UInt8] {
        let start = """
            * Loads this dataset into SPSS. First go to the folder that holds manifest.json: CD '…'.
            * Every table becomes a dataset of its name; free texts stay in their files.
            SET DECIMAL=DOT.

            """
        return Array((start + tables.map(text).joined(separator: "\n")).utf8)
    }

    private func text(_ table: StatisticsTable) -> String {
        let names = table.columns.map(\.spssName)
        let pairs = Array(zip(table.columns, names))
        let reasonColumns =
            table.reasons == nil
            ? []
            : pairs.enumerated().filter { $1.0.allowsReasonNumbers }.map { (index: $0, name: $1.1) }
        var lines: [String] = []
        if let reasons = table.reasons, !reasonColumns.isEmpty {
            lines += readReasons(table, reasons, reasonColumns)
        }
        lines += read(table.path, pairs.enumerated().map { Self.variable($1.0, $1.1, $0) })
        for (index, pair) in pairs.enumerated() {
            if let value = Self.timeExpression(pair.0.kind, "t\(index)") {
                lines += [
                    "COMPUTE \(pair.1) =", value + ".",
                    "FORMATS \(pair.1) (\(Self.displayFormat(pair.0.kind))).",
                ]
            }
        }
        if !reasonColumns.isEmpty { lines += applyReasons(table, reasonColumns) }
        lines += ["MATCH FILES /FILE=* /KEEP="] + names.map { "  \($0)" } + ["."]
        for (column, name) in pairs {
            lines += [
                "VARIABLE LABELS \(name)", Self.literal(column.label.prefix(bytes: Self.longestLabel)) + ".",
            ]
            let hasReasons = reasonColumns.contains { $0.name == name }
            lines += valueLabels(column, name, hasReasons)
            if hasReasons { lines.append("MISSING VALUES \(name) (-999 THRU -989).") }
        }
        lines += ["EXECUTE.", "DATASET COPY \(table.name)."]
        return lines.joined(separator: "\n") + "\n"
    }

    private func read(_ path: String, _ variables: [String]) -> [String] {
        [
            "GET DATA /TYPE=TXT", "  /FILE='\(path)'", "  /ENCODING='UTF-8'",
            "  /ARRANGEMENT=DELIMITED /DELCASE=LINE /FIRSTCASE=2", "  /DELIMITERS=',' /QUALIFIER='\"'",
            "  /VARIABLES=",
        ] + variables.map { "  \($0)" } + ["."]
    }

    /// Times are first read as texts into variables `t<index>`.
    private static func variable(_ column: StatisticsColumn, _ name: String, _ index: Int) -> String {
        switch column.kind {
        case .string:
            column.isIdentifier ? "\(name) A64" : "\(name) A255"
        case .integer, .number, .boolean: "\(name) F40.0"
        case .date, .instant, .local, .time: "t\(index) A24"
        }
    }

    /// Reads the reasons for blanks into a separate dataset.
    private func readReasons(
        _ table: StatisticsTable, _ reasons: StatisticsTable.ReasonsFile,
        _ reasonColumns: [(index: Int, name: String)]
    ) -> [String] {
        let variables = reasons.columns.enumerated().map { index, column in
            if table.key.contains(column) { return "\(column) A64" }
            return reasonColumns.contains { $0.index == index } ? "m\(index) A64" : "x\(index) A255"
        }
        return read(reasons.path, variables) + ["DATASET COPY saunter_reasons."]
    }

    /// Replaces blanks by the numbers of their reasons.
    private func applyReasons(_ table: StatisticsTable, _ reasonColumns: [(index: Int, name: String)])
        -> [String]
    {
        let given =
            reasonColumns.map { "    m\($0.index)" } + ["  /v ="] + reasonColumns.map { "    \($0.name)" }
        let codes = MissingReason.ordered
        return [
            "EXECUTE.", "MATCH FILES /FILE=* /FILE=saunter_reasons /BY \(table.key.joined(separator: " ")).",
            "DO REPEAT m =",
        ] + given + ["  ."]
            + codes.map { "IF (m EQ '\($0.code)') v = \($0.rawValue)." }
            + ["END REPEAT.", "EXECUTE.", "DATASET CLOSE saunter_reasons."]
    }

    private func valueLabels(_ column: StatisticsColumn, _ name: String, _ hasReasons: Bool) -> [String] {
        let codes = column.codes.map { code, label in
            (column.kind == .string ? "'\(code)'" : code, label)
        }
        let reasons = MissingReason.ordered
            .map { (String($0.rawValue), $0.label) }
        let all = codes + (hasReasons ? reasons : [])
        guard !all.isEmpty else { return [] }
        return ["VALUE LABELS \(name)"]
            + all.map { "  \($0) \(Self.literal($1.prefix(bytes: Self.longestValueLabel)))" } + ["."]
    }

    /// A string literal, split into pieces so that no line is too long.
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

    private static func displayFormat(_ kind: StatisticsColumn.Kind) -> String {
        StatisticsTime.format(kind, for: .spss) ?? "F8.0"
    }

    /// The expression that converts a text to a time. Nil if the column is not a time.
    private static func timeExpression(_ kind: StatisticsColumn.Kind, _ text: String) -> String? {
        func number(_ start: Int, _ length: Int) -> String {
            "NUMBER(SUBSTR(\(text),\(start),\(length)),F\(length).0)"
        }
        func clock(_ start: Int, seconds: Int) -> String {
            "\(number(start, 2)) * 3600 + \(number(start + 3, 2)) * 60\n  + \(number(start + 6, seconds))"
        }
        let date = "DATE.DMY(\(number(9, 2)),\n    \(number(6, 2)),\(number(1, 4)))"
        switch kind {
        case .date: return "  \(date)"
        case .instant, .local: return "  \(date)\n  + \(clock(12, seconds: 6))"
        case .time: return "  \(clock(1, seconds: 2))"
        case .string, .integer, .number, .boolean: return nil
        }
    }
}
