import Postgres

/// A table and the statements that copy it, as `backup_tables` gives them.
struct BackupTable: Hashable {
    var name: String
    /// Tables that its rows refer to.
    var parents: Set<String>
    var copyOut: String
    var copyIn: String
    /// Stops and starts what would note its rows as new; nil where nothing does.
    var silence: String?
    var speak: String?
    /// Asks whether it has rows.
    var isFilled: String

    /// All tables, parents before those that refer to them, else by name.
    static func all(_ database: some Querying) async throws -> [BackupTable] {
        let unkeyed = try await database.query(Statements.backup["backup_unkeyed_tables"], [])
            .map { try $0.get("name", as: String.self) }
        guard unkeyed.isEmpty else { throw BackupFault.unordered(tables: unkeyed) }
        let tables = try await database.query(Statements.backup["backup_tables"], []).map { row in
            BackupTable(
                name: try row.get("name"), parents: Set(try row.get("parents", as: [String].self)),
                copyOut: try row.get("copy_out"), copyIn: try row.get("copy_in"),
                silence: try row.getOptional("silence"), speak: try row.getOptional("speak"),
                isFilled: try row.get("is_filled"))
        }
        return try inOrder(tables)
    }

    /// - Throws: `BackupFault.unordered` when references form a circle.
    static func inOrder(_ tables: [BackupTable]) throws(BackupFault) -> [BackupTable] {
        var ordered: [BackupTable] = []
        var placed: Set<String> = []
        var left = tables
        while !left.isEmpty {
            let free = left.filter { $0.parents.isSubset(of: placed) }
            guard !free.isEmpty else { throw .unordered(tables: left.map(\.name)) }
            ordered += free
            placed.formUnion(free.map(\.name))
            left.removeAll { placed.contains($0.name) }
        }
        return ordered
    }
}
