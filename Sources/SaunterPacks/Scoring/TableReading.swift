import Crypto
import Foundation
import SaunterCore

/// Where a key says that a table stands.
struct TableReference {
    let id: String
    /// Relative to the instrument's folder.
    let file: String
    let source: String
    let checksum: String
    let line: Int

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

    /// SHA-256 in hexadecimal of a file's text, lines ended by LF.
    static func checksum(of text: String) -> String {
        SHA256.hash(data: Data(text.withPlainLineEnds.utf8))
            .map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}

/// Reads the CSV file of a table into its rows.
struct TableReading {
    /// Names that a column of conditions can begin with.
    let covariates: [String]
    let log: FaultLog

    private enum Column {
        case exact(String)
        case end(String, String)
        case raw(String)
        case value, error, mean, deviation
    }

    /// The rows, and for each the line on which it stands.
    func rows(_ text: String) -> (rows: [LookupTable.Row], lines: [Int])? {
        guard text.utf8.count <= YAMLBounds.maximumBytes else {
            log.note(1, "larger than 1 MiB")
            return nil
        }
        guard let table = CSVTable(text, log: log) else { return nil }
        var columns: [Column] = []
        for name in table.header {
            guard let column = column(name) else {
                log.note(1, "\"\(name.prefix(60))\" is no column of a table and no covariate")
                continue
            }
            columns.append(column)
        }
        guard columns.count == table.header.count, Set(table.header).count == columns.count else {
            if columns.count == table.header.count { log.note(1, "a column stands there twice") }
            return nil
        }
        let isLookup = table.header.contains("value")
        let isNorm = table.header.contains("mean") && table.header.contains("sd")
        let hasRaw = columns.contains { if case .raw = $0 { true } else { false } }
        guard isLookup != isNorm, isLookup == hasRaw else {
            log.note(1, "a table has raw and value, or mean and sd")
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
        case "se": return .error
        case "mean": return .mean
        case "sd": return .deviation
        default: break
        }
        if covariates.contains(name) { return .exact(name) }
        for end in ConditionReading.ends where name.hasSuffix("_" + end) {
            let stem = String(name.dropLast(end.count + 1))
            if stem == "raw" { return .raw(end) }
            if covariates.contains(stem) { return .end(stem, end) }
        }
        return nil
    }

    private func row(_ record: CSVTable.Record, _ columns: [Column]) -> LookupTable.Row? {
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
                let place = ranges.firstIndex { $0.name == name } ?? ranges.endIndex
                if place == ranges.endIndex { ranges.append((name, ScoreRange())) }
                ranges[place].range.set(end, number)
            case .value: numbers["value"] = number
            case .error: numbers["se"] = number
            case .mean: numbers["mean"] = number
            case .deviation: numbers["sd"] = number
            case .exact: break
            }
        }
        conditions += ranges.map { ScoreCondition($0.name, .range($0.range)) }
        if let value = numbers["value"] {
            guard !raw.isEverything else {
                log.note(record.line, "the raw value is missing")
                return nil
            }
            return LookupTable.Row(
                .score(raw: raw, value: value, standardError: numbers["se"]), when: conditions)
        }
        guard let mean = numbers["mean"], let deviation = numbers["sd"] else {
            log.note(record.line, "a number is missing")
            return nil
        }
        return LookupTable.Row(.norm(mean: mean, standardDeviation: deviation), when: conditions)
    }
}

extension ScoreRange {
    /// - Parameter end: a column's end; empty for both.
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
