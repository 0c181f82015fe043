import Foundation
import SaunterCore

/// A query of one table as a `COPY` command, and the values of its conditions. `COPY` has no parameters, and values of
/// a client must not be part of SQL text. They are therefore stored in settings of the transaction before the command
/// runs.
struct TableCommand {
    let table: Table
    /// `coded` or `full`, which do not create pseudonyms. Ids and instants are therefore compared by their raw values.
    let profile: DatasetProfile
    let hasUnknownZones: Bool
    /// The values of the settings `saunter.value_1`, `saunter.value_2`, …
    private(set) var values: [String] = []

    init(_ table: Table, _ profile: DatasetProfile, hasUnknownZones: Bool) {
        self.table = table
        self.profile = profile
        self.hasUnknownZones = hasUnknownZones
    }

    /// The command that returns the rows in the order of the key.
    mutating func rows(_ query: TableQuery) throws(TableQueryFault) -> String {
        var columns = table.columns
        if !query.columns.isEmpty {
            columns = []
            for name in query.columns { columns.append(try column(name)) }
        }
        let list = table.selectList(columns, profile, hasUnknownZones: hasUnknownZones)
        let direction = query.descends ? " desc" : ""
        let order = table.key.map { orderExpression($0) + direction }.joined(separator: ", ")
        var end = try filter(query)
        end += "\norder by \(order)"
        if let limit = query.limit { end += "\nlimit \(max(0, limit))" }
        if query.skip > 0 { end += "\noffset \(query.skip)" }
        return table.copyCommand(list, profile, end: end)
    }

    /// The command that returns the number of rows that fulfil the condition, as one cell `count`.
    mutating func count(_ condition: TableQuery.Condition?) throws(TableQueryFault) -> String {
        table.copyCommand("count(*) as count", profile, end: try filter(TableQuery(condition: condition)))
    }

    private mutating func filter(_ query: TableQuery) throws(TableQueryFault) -> String {
        var parts: [String] = []
        if let condition = query.condition { parts.append(try sql(condition)) }
        if let after = query.after { parts.append(try sql(after: after, descends: query.descends)) }
        return parts.isEmpty ? "" : "where " + parts.joined(separator: " and ")
    }

    private func column(_ name: String) throws(TableQueryFault) -> Column {
        guard let column = table.columns.first(where: { $0.name == name }) else {
            throw .unknownColumn(name)
        }
        return column
    }

    // MARK: Conditions

    private mutating func sql(_ condition: TableQuery.Condition) throws(TableQueryFault) -> String {
        switch condition {
        case .compare(let name, let comparison, let value):
            let (left, right) = try sides(try column(name), value)
            return "\(left) \(Self.symbol(comparison)) \(right)"
        case .isBlank(let name):
            return "(\(try column(name).sql(profile, hasUnknownZones: hasUnknownZones))) is null"
        case .oneOf(let name, let allowed):
            guard !allowed.isEmpty else { return "false" }
            let column = try column(name)
            if case .id(let letter) = column.form {
                let ids = allowed.compactMap { Self.uuid($0, letter) }
                return
                    "\(raw(column)) = any (string_to_array(\(bind(ids.joined(separator: ","))), ',')::uuid[])"
            }
            let text = "((\(column.sql(profile, hasUnknownZones: hasUnknownZones)))::text collate \"C\")"
            // The compared columns contain ids and pseudonyms, which never contain this separator.
            let list = bind(allowed.joined(separator: "\u{1F}"))
            return "\(text) = any (string_to_array(\(list), chr(31)))"
        case .all(let parts): return try joined(parts, " and ", empty: "true")
        case .any(let parts): return try joined(parts, " or ", empty: "false")
        case .not(let part): return "(\(try sql(part))) is not true"
        }
    }

    private mutating func joined(
        _ parts: [TableQuery.Condition], _ word: String, empty: String
    ) throws(TableQueryFault) -> String {
        var texts: [String] = []
        for part in parts { texts.append("(\(try sql(part)))") }
        return texts.isEmpty ? empty : "(" + texts.joined(separator: word) + ")"
    }

    /// The column and the value, cast to types that compare by meaning.
    private mutating func sides(
        _ column: Column, _ value: String
    ) throws(TableQueryFault) -> (String, String) {
        let expression = "(\(column.sql(profile, hasUnknownZones: hasUnknownZones)))"
        if case .id(let letter) = column.form, let id = Self.uuid(value, letter) {
            return (raw(column), "\(bind(id))::uuid")
        }
        switch column.type {
        case .string: return ("(\(expression)::text collate \"C\")", bind(value))
        case .integer, .number, .boolean:
            guard let number = Double(value), number.isFinite, value.utf8.count <= 40 else {
                throw .wrongType(column.name, column.type)
            }
            return ("\(expression)::numeric", "\(bind(JSON.double(number).text))::numeric")
        case .date:
            guard let date = LocalDate(value) else { throw .wrongType(column.name, column.type) }
            return ("\(expression)::date", "\(bind(date.description))::date")
        case .instant:
            guard let instant = Instant(value) else { throw .wrongType(column.name, column.type) }
            // Comparing the raw value allows the use of an index.
            if column.form == .moment {
                return (raw(column), "\(bind(instant.description))::timestamptz")
            }
            return ("(\(expression)::text collate \"C\")", bind(instant.description))
        case .local, .time: return ("(\(expression)::text collate \"C\")", bind(value))
        }
    }

    private func raw(_ column: Column) -> String { "r.\(SQLText.identifier(column.name))" }

    private static func uuid(_ text: String, _ letter: String) -> String? {
        guard text.hasPrefix(letter), let id = ID<Never>(String(text.dropFirst(letter.count))),
            letter + id.description == text
        else { return nil }
        return id.description
    }

    private static func symbol(_ comparison: TableQuery.Comparison) -> String {
        switch comparison {
        case .equal: "="
        case .notEqual: "is distinct from"
        case .less: "<"
        case .atMost: "<="
        case .greater: ">"
        case .atLeast: ">="
        }
    }

    /// Adds a value, and returns the SQL expression that reads it.
    private mutating func bind(_ value: String) -> String {
        values.append(value)
        return "current_setting('saunter.value_\(values.count)')"
    }

    // MARK: Order

    private func orderExpression(_ name: String) -> String {
        table.order(name, isReleased: false)
    }

    /// The condition for rows after this key, with the same expressions as in `ORDER BY`.
    private mutating func sql(after key: [String], descends: Bool) throws(TableQueryFault) -> String {
        guard key.count == table.key.count else { throw .invalidKey }
        var left: [String] = []
        var right: [String] = []
        for (name, value) in zip(table.key, key) {
            let column = try column(name)
            left.append(orderExpression(name))
            if case .id(let letter) = column.form {
                guard let id = Self.uuid(value, letter) else { throw .invalidKey }
                right.append("\(bind(id))::uuid")
            } else if column.type == .integer {
                guard let number = Int64(value) else { throw .invalidKey }
                right.append("\(bind(String(number)))::bigint")
            } else {
                right.append(bind(value))
            }
        }
        return "(\(left.joined(separator: ", "))) \(descends ? "<" : ">") (\(right.joined(separator: ", ")))"
    }
}
