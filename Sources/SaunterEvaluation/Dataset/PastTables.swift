import Postgres

/// The tables of schema `research` at an earlier instant, for a dataset with `as_of`.
///
/// The statements of a dataset read tables as `research.<table>`. If `sql/dataset/dataset_past.sql` has a statement
/// `past_<table>`, that statement becomes a common table expression with the name of the table, and it is read in place
/// of the table. Therefore the other statements need not know about earlier instants.
enum PastTables {
    /// Expressions that are computed once, because they read a whole table and return few rows.
    private static let materialized: Set<String> = ["removed_sheet"]

    /// The statement with its tables as they were at the instant in the setting `saunter.as_of`.
    static func apply(to statement: Statement) -> Statement {
        Statement(
            name: statement.name, sql: apply(to: statement.sql), cardinality: statement.cardinality,
            parameters: statement.parameters)
    }

    /// The same for the text of a statement or of a `COPY` command.
    static func apply(to sql: String) -> String {
        var tables: [(name: String, sql: String)] = []
        let body = replaceTables(of: "research", in: sql) { add($0, to: &tables) }
        guard !tables.isEmpty else { return sql }
        let expressions = tables.map { name, sql in
            "\(name) as \(materialized.contains(name) ? "" : "not ")materialized (\n\(sql)\n)"
        }
        let list = "with " + expressions.joined(separator: ",\n")
        let copy = "copy (\n"
        let (start, rest) = body.hasPrefix(copy) ? (copy, body.dropFirst(copy.count)) : ("", body[...])
        let with = "with "
        return start + list + (rest.hasPrefix(with) ? ",\n" + rest.dropFirst(with.count) : "\n" + rest)
    }

    /// Adds the statement of a table after the statements that it uses.
    /// - Returns: false if the table has no statement.
    private static func add(_ name: String, to tables: inout [(name: String, sql: String)]) -> Bool {
        if tables.contains(where: { $0.name == name }) { return true }
        guard let statement = SQLFile.past.statement("past_\(name)") else { return false }
        let sql = replaceTables(of: "past", in: statement.sql) { add($0, to: &tables) }
        tables.append((name, sql))
        return true
    }

    /// Removes the name of a schema before each table for which `isReplaced` returns true.
    private static func replaceTables(of schema: String, in sql: String, isReplaced: (String) -> Bool)
        -> String
    {
        var text = ""
        var rest = sql[...]
        while let start = rest.firstRange(of: "\(schema).") {
            let name = rest[start.upperBound...].prefix {
                $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_")
            }
            text += rest[..<start.lowerBound]
            // A function of the schema, such as `research.local_date(`, is not a table.
            let isFunction = rest[name.endIndex...].first == "("
            text += !isFunction && isReplaced(String(name)) ? name : rest[start.lowerBound..<name.endIndex]
            rest = rest[name.endIndex...]
        }
        return text + rest
    }
}
