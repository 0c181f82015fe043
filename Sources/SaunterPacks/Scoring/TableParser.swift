import Crypto
import Foundation
import SaunterCore

/// A reference of a scoring key to a table file.
struct TableReference {
    let id: String
    /// The path relative to the instrument's folder.
    let file: String
    let source: String
    /// The expected SHA-256 of the file.
    let checksum: String
    /// The line of the checksum in `scoring.yaml`.
    let line: Int

    /// Parses `{id: norms, file: tables/norms.csv, source: "…", sha256: …}`.
    static func read(_ node: YAMLNode, _ log: FaultLog) -> TableReference? {
        let keys = ["id", "file", "source", "sha256"]
        guard let fields = Fields(node, of: "a table", keys: keys, log: log) else { return nil }
        let id = fields.required("id") { $0.text($1) }
        let file = fields.required("file") { $0.text($1) }
        let source = fields.required("source") { $0.text($1) }
        let checksum = fields.required("sha256") { $0.word($1) }
        guard let id, let file, let source, let checksum else { return nil }
        guard file.hasPrefix("tables/"), file.hasSuffix(".csv") else {
            log.note(
                fields.line(of: "file"), "a table is a CSV file in the folder tables, such as tables/t.csv")
            return nil
        }
        return TableReference(
            id: id, file: file, source: source, checksum: checksum, line: fields.line(of: "sha256"))
    }

    /// SHA-256 of a file's text with LF line ends, in hexadecimal.
    static func checksum(of text: String) -> String {
        Hex.encode(SHA256.hash(data: Data(text.withPlainLineEnds.utf8)))
    }
}

/// Parses the CSV file of a table into rows.
struct TableParser {
    /// The names with which condition columns can begin.
    let covariates: [String]
    let log: FaultLog

    /// The meaning of a column.
    private enum Column {
        /// A covariate that must be equal to the cell.
        case exact(String)
        /// A covariate and an end of a range for it.
        case end(String, String)
        /// The raw value: an end of its range, or empty for one exact value.
        case raw(String)
        case value, standardError, mean, standardDeviation
    }

    /// Parses the table. Returns the rows and the line of each row. Nil if the columns are wrong.
    func rows(_ text: String) -> (rows: [LookupTable.Row], lines: [Int])? {
        guard text.utf8.count <= PackFiles.maximumFileBytes else {
            log.note(1, "larger than 1 MiB")
            return nil
        }
        guard let table = CSVTable(text, log: log) else { return nil }
        var columns: [Column] = []
        for name in table.header {
            guard let column = column(name) else {
                log.note(1, "\"\(name.prefix(60))\" is neither a column of a table nor a covariate")
                continue
            }
            columns.append(column)
        }
        guard columns.count == table.header.count, Set(table.header).count == columns.count else {
            if columns.count == table.header.count { log.note(1, "a column occurs twice") }
            return nil
        }
        let isLookup = table.header.contains("value")
        let isNorm = table.header.contains("mean") && table.header.contains("sd")
        let hasRaw = columns.contains { if case .raw = $0 { true } else { false } }
        guard isLookup != isNorm, isLookup == hasRaw else {
            log.note(1, "a table needs the columns raw and value, or mean and sd")
            return nil
        }
        var rows: [LookupTable.Row] = []
        var lines: [Int] = []
        for record in table.records.prefix(5000) {
            guard let row = row(record, columns) else { continue }
            rows.append(row)
            lines.append(record.line)
        }
        return (rows, lines)
    }

    private func column(_ name: String) -> Column? {
        switch name {
        case "raw": return .raw("")
        case "value": return .value
        case "se": return .standardError
        case "mean": return .mean
        case "sd": return .standardDeviation
        default: break
        }
        if covariates.contains(name) { return .exact(name) }
        for end in ScoreConditionParser.ends where name.hasSuffix("_" + end) {
            let stem = String(name.dropLast(end.count + 1))
            if stem == "raw" { return .raw(end) }
            if covariates.contains(stem) { return .end(stem, end) }
        }
        return nil
    }

    private func row(_ record: CSVRecord, _ columns: [Column]) -> LookupTable.Row? {
        var raw = ScoreRange()
        var conditions: [ScoreCondition] = []
        var ranges: [(name: String, range: ScoreRange)] = []
        var numbers: [String: Double] = [:]
        for (column, cell) in zip(columns, record.fields) where !cell.isEmpty {
            if case .exact(let name) = column {
                let number = YAMLScalar(text: cell, isPlain: true).decimal
                conditions.append(
                    ScoreCondition(name, number.map { .range(ScoreRange(exactly: $0)) } ?? .code(cell)))
                continue
            }
            guard let number = YAMLScalar(text: cell, isPlain: true).decimal else {
                log.note(record.line, "expected a number, found \"\(cell.prefix(60))\"")
                return nil
            }
            switch column {
            case .raw(let end): raw.set(end, number)
            case .end(let name, let end):
                let index = ranges.firstIndex { $0.name == name } ?? ranges.endIndex
                if index == ranges.endIndex { ranges.append((name, ScoreRange())) }
                ranges[index].range.set(end, number)
            case .value: numbers["value"] = number
            case .standardError: numbers["se"] = number
            case .mean: numbers["mean"] = number
            case .standardDeviation: numbers["sd"] = number
            case .exact: break
            }
        }
        conditions += ranges.map { ScoreCondition($0.name, .range($0.range)) }
        if let value = numbers["value"] {
            guard !raw.isUnbounded else {
                log.note(record.line, "the raw value is missing")
                return nil
            }
            return LookupTable.Row(
                .score(raw: raw, value: value, standardError: numbers["se"]), when: conditions)
        }
        guard let mean = numbers["mean"], let deviation = numbers["sd"] else {
            log.note(record.line, "mean or sd is missing")
            return nil
        }
        return LookupTable.Row(.norm(mean: mean, standardDeviation: deviation), when: conditions)
    }
}

extension ScoreRange {
    /// Sets one end of the range.
    /// - Parameter end: the key of the end; empty for both ends.
    fileprivate mutating func set(_ end: String, _ number: Double) {
        switch end {
        case "from": from = number
        case "above": above = number
        case "below": below = number
        case "up_to": upTo = number
        default: (from, upTo) = (number, number)
        }
    }
}
