/// Why a backup cannot be written, read or put back. Each text is one line for the operator, with what to do.
package enum BackupFault: Error, Hashable, CustomStringConvertible {
    case file(path: String, reason: String)
    /// The file does not begin as a backup does.
    case notABackup(path: String)
    /// The first part cannot be opened: another master key, or a damaged beginning.
    case wrongKey(path: String)
    /// A part is damaged, missing, out of place or of no known kind.
    case damaged(path: String)
    /// The file ends before the backup does.
    case cutShort(path: String)
    /// The backup was made by a newer version, or by one whose migrations these are not.
    case otherVersion(migrations: [String])
    /// The database to fill has rows already.
    case notEmpty(table: String)
    /// A table that cannot be backed up: nothing puts its rows into an order, or its references form a circle.
    case unordered(tables: [String])
    /// What was put back is not what was backed up.
    case different(table: String)

    package var description: String {
        switch self {
        case .file(let path, let reason): "\(path): \(reason)"
        case .notABackup(let path): "\(path) is no backup of Saunter"
        case .wrongKey(let path):
            "\(path) cannot be opened with this master key: name the one under which the backup was made"
        case .damaged(let path): "\(path) is damaged; use another backup"
        case .cutShort(let path): "\(path) is not complete: its end is missing; use another backup"
        case .otherVersion(let migrations):
            "the backup was made by a version with other migrations (\(migrations.joined(separator: ", "))): use that version, or a newer one"
        case .notEmpty(let table):
            "the database is not empty (\(table) has rows): restore into a new data directory or a new database"
        case .unordered(let tables):
            "there is no order in which to copy \(tables.joined(separator: ", "))"
        case .different(let table): "\(table) is not what was backed up"
        }
    }
}
