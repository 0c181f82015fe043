/// Why a backup cannot be written, read or restored. Each text is one line for the operator and states the
/// remedy if there is one.
package enum BackupFault: Error, Hashable, CustomStringConvertible {
    case file(path: String, reason: String)
    /// The file does not begin as a backup does.
    case notABackup(path: String)
    /// The first part cannot be decrypted: the master key is wrong, or the beginning is damaged.
    case wrongKey(path: String)
    /// A part is damaged, missing, out of order or of an unknown kind.
    case damaged(path: String)
    /// The file ends before the backup does.
    case truncated(path: String)
    /// The backup was made by a newer version, or by a version with other migrations.
    case unknownMigrations(migrations: [String])
    /// The database to fill already has rows.
    case notEmpty(table: String)
    /// Tables that cannot be backed up: they have no primary key, or their references form a cycle.
    case unordered(tables: [String])
    /// The restored rows differ from the backup.
    case mismatch(table: String)

    /// One line for the operator, with the remedy if there is one.
    package var description: String {
        switch self {
        case .file(let path, let reason): "\(path): \(reason)"
        case .notABackup(let path): "\(path) is not a backup of Saunter"
        case .wrongKey(let path):
            "\(path) cannot be decrypted with this master key: use the key under which the backup was made"
        case .damaged(let path): "\(path) is damaged; use another backup"
        case .truncated(let path): "\(path) is not complete: its end is missing; use another backup"
        case .unknownMigrations(let migrations):
            "the backup was made by a version with other migrations (\(migrations.joined(separator: ", "))): use that version or a newer one"
        case .notEmpty(let table):
            "the database is not empty (\(table) has rows): restore into a new data directory or a new database"
        case .unordered(let tables):
            "\(tables.joined(separator: ", ")) cannot be backed up: they have no primary key, or their references form a cycle"
        case .mismatch(let table):
            "the restored table \(table) differs from the backup: do not use this backup; make or use another one"
        }
    }
}
