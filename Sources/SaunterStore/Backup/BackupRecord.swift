import Foundation

/// One part of a backup. A backup is `begin`; for each table `table`, any number of `rows`, `tableEnd`; then `end`.
enum BackupRecord: Hashable {
    case begin(BackupHeader)
    /// The name of the table whose rows follow.
    case table(String)
    /// Bytes of COPY's text format, at most `maximumBytes`. A row can continue in the next part.
    case rows([UInt8])
    case tableEnd(TableCopy)
    case end

    /// The maximum number of bytes of rows in one part.
    static let maximumBytes = 1 << 20

    /// The kind as one byte, then its content.
    func encoded() throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return switch self {
        case .begin(let contents): [1] + Array(try encoder.encode(contents))
        case .table(let name): [2] + Array(name.utf8)
        case .rows(let bytes): [3] + bytes
        case .tableEnd(let copy): [4] + Array(try encoder.encode(copy))
        case .end: [5]
        }
    }

    /// Nil if the bytes are not a record.
    init?(_ bytes: [UInt8]) {
        let rest = bytes.dropFirst()
        switch bytes.first {
        case 1:
            // Any decoding error means that the part is damaged.
            guard let contents = try? JSONDecoder().decode(BackupHeader.self, from: Data(rest)) else {
                return nil
            }
            self = .begin(contents)
        case 2:
            guard let name = String(validating: rest, as: UTF8.self) else { return nil }
            self = .table(name)
        case 3: self = .rows(Array(rest))
        case 4:
            guard let copy = try? JSONDecoder().decode(TableCopy.self, from: Data(rest)) else { return nil }
            self = .tableEnd(copy)
        case 5 where rest.isEmpty: self = .end
        default: return nil
        }
    }
}

/// The first record of a backup.
package struct BackupHeader: Codable, Hashable, Sendable {
    /// An applied migration and the digest of its text.
    package struct AppliedMigration: Codable, Hashable, Sendable {
        /// The name of the migration, such as `m0001_baseline`.
        package var name: String
        /// SHA-256 of the migration's text, in hexadecimal digits.
        package var digest: String
    }

    /// The version of the program that made the backup.
    package var program: String
    /// RFC 3339 in UTC, by the clock of the machine that made the backup.
    package var madeAt: String
    /// The migrations of the database, in the order of their application.
    package var migrations: [AppliedMigration]
    /// The last number that each sequence has assigned.
    package var sequences: [String: Int64]
}

/// A copied table.
package struct TableCopy: Codable, Hashable, Sendable {
    /// The table with its schema, such as `research.walk`.
    package var name: String
    /// The number of rows.
    package var rows: Int
    /// Digest of COPY's text format in the order of the primary key, in hexadecimal digits.
    package var sha256: String
}
