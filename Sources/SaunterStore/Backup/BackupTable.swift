import Postgres

/// A table and the statements that copy it, from the statement `backup_tables`.
struct BackupTable: Hashable {
    var name: String
    /// The tables that its rows reference.
    var parents: Set<String>
    var copyOut: String
    var copyIn: String
    /// A script that disables the triggers that would record restored rows as new; nil if there are none.
    var disableTriggers: String?
    /// A script that enables these triggers again; nil if there are none.
    var enableTriggers: String?
    /// A query that returns whether the table has rows.
    var filledQuery: String

    /// All tables: referenced tables before those that reference them, otherwise by name.
    static func all(_ database: some Querying) async throws -> [BackupTable] {
        let unkeyed = try await database.query(Statements.backup["backup_unkeyed_tables"], [])
            .map { try $0.get("name", as: String.self) }
        guard unkeyed.isEmpty else { throw BackupFault.unordered(tables: unkeyed) }
        let tables = try await database.query(Statements.backup["backup_tables"], []).map { row in
            BackupTable(
                name: try row.get("name"), parents: Set(try row.get("parents", as: [String].self)),
                copyOut: try row.get("copy_out"), copyIn: try row.get("copy_in"),
                disableTriggers: try row.getOptional("disable_triggers"),
                enableTriggers: try row.getOptional("enable_triggers"),
                filledQuery: try row.get("filled_query"))
        }
        return try inOrder(tables)
    }

    /// Sorts the tables so that referenced tables come first.
    /// - Throws: `BackupFault.unordered` if references form a cycle.
    static func inOrder(_ tables: [BackupTable]) throws(BackupFault) -> [BackupTable] {
        var ordered: [BackupTable] = []
        var names: Set<String> = []
        var remaining = tables
        while !remaining.isEmpty {
            let free = remaining.filter { $0.parents.isSubset(of: names) }
            guard !free.isEmpty else { throw .unordered(tables: remaining.map(\.name)) }
            ordered += free
            names.formUnion(free.map(\.name))
            remaining.removeAll { names.contains($0.name) }
        }
        return ordered
    }
}
