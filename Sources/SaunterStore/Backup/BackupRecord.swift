import Foundation

/// One part of a backup: `begin`, then for each table `table`, any number of `rows` and `tableEnd`, then `end`.
enum BackupRecord: Hashable {
    case begin(BackupContents)
    /// The name of the table whose rows follow.
    case table(String)
    /// Bytes of `COPY`'s text form, at most `mostBytes`; rows may go over from one part to the next.
    case rows([UInt8])
    case tableEnd(TableCopy)
    case end

    /// So much of a table is gathered before it becomes a part.
    static let mostBytes = 1 << 20

    /// The kind, one byte, and what belongs to it.
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

    /// Nil for what is none.
    init?(_ bytes: [UInt8]) {
        let rest = bytes.dropFirst()
        switch bytes.first {
        case 1:
            // What does not decode is damage, whatever the decoder says of it.
            guard let contents = try? JSONDecoder().decode(BackupContents.self, from: Data(rest)) else {
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

/// What a backup says of itself before its tables.
package struct BackupContents: Codable, Hashable, Sendable {
    /// A migration and the digest of its text.
    package struct AppliedMigration: Codable, Hashable, Sendable {
        package var name: String
        package var digest: String
    }

    /// The version of the program that made it.
    package var program: String
    /// RFC 3339 in UTC, by the clock of who made it.
    package var madeAt: String
    package var migrations: [AppliedMigration]
    /// The last number given out by each sequence.
    package var sequences: [String: Int64]
}

/// One table as it was copied.
package struct TableCopy: Codable, Hashable, Sendable {
    package var name: String
    package var rows: Int
    /// Of COPY's text form in the order of the primary key, in hexadecimal digits.
    package var sha256: String
}
