import Crypto
import Foundation
import Logging
import Postgres
import SaunterCore

/// Everything that a database holds, as one encrypted file, and back.
///
/// A backup is made from one snapshot while others go on writing. It holds the rows of every table as COPY gives them, the names of the migrations
/// behind them, and a digest of each table; it opens with the master key under which the database was filled, and with no other.
package struct Backup: Sendable {
    let url: ConnectionString
    let master: [UInt8]
    let logger: Logger

    /// - Parameters:
    ///   - url: the database, as its owner.
    ///   - master: the server's master key, 32 bytes.
    package init(of url: ConnectionString, master: [UInt8], logger: Logger) {
        self.url = url
        self.master = master
        self.logger = logger
    }

    /// Writes a new file; until it is whole and on the disk, there is none under this path.
    /// - Parameters:
    ///   - program: the version that makes it.
    ///   - progress: called after each table.
    /// - Returns: what was copied, in the order of copying.
    /// - Throws: `BackupFault` or `DatabaseError`.
    package nonisolated(nonsending) func write(
        to path: String, program: String, now: Instant, progress: (TableCopy) -> Void = { _ in }
    ) async throws -> [TableCopy] {
        let file = try BackupFileWriter(path: path, master: master)
        let copies = try await pooled { pool in
            try await pool.read(isolation: .repeatableRead) { transaction in
                try file.write(.begin(try await contents(transaction, program, now)))
                var copies: [TableCopy] = []
                for table in try await BackupTable.all(transaction) {
                    try file.write(.table(table.name))
                    let copy = try await copyOut(table, transaction) { try file.write(.rows($0)) }
                    try file.write(.tableEnd(copy))
                    progress(copy)
                    copies.append(copy)
                }
                return copies
            }
        }
        try file.write(.end)
        try file.finish()
        return copies
    }

    /// Demands that the database holds what was copied, byte for byte.
    /// - Throws: `BackupFault.different` with the first table that does not.
    package nonisolated(nonsending) func compare(with copies: [TableCopy]) async throws {
        try await pooled { pool in
            try await pool.read(isolation: .repeatableRead) { transaction in
                var expected = Dictionary(uniqueKeysWithValues: copies.map { ($0.name, $0) })
                for table in try await BackupTable.all(transaction) {
                    let found = try await copyOut(table, transaction) { _ in }
                    // A table that the backup does not know is one that came later, and has nothing in it.
                    guard expected.removeValue(forKey: table.name).map({ $0 == found }) ?? (found.rows == 0)
                    else {
                        throw BackupFault.different(table: table.name)
                    }
                }
                if let lost = expected.values.map(\.name).min() { throw BackupFault.different(table: lost) }
            }
        }
    }

    /// Lends a connection as the owner of everything.
    nonisolated(nonsending) func pooled<Value>(_ body: nonisolated(nonsending) (Pool) async throws -> Value)
        async throws -> Value
    {
        let pool = Pool(
            connectionString: url, size: 1, name: "backup", applicationName: "saunter-backup",
            statementTimeout: nil,
            logger: logger)
        do {
            let value = try await body(pool)
            await pool.close()
            return value
        } catch {
            await pool.close()
            throw error
        }
    }

    private nonisolated(nonsending) func contents(
        _ transaction: Transaction, _ program: String, _ now: Instant
    ) async throws
        -> BackupContents
    {
        _ = try await transaction.query(Statements.backup["backup_form"])
        var sequences: [String: Int64] = [:]
        for row in try await transaction.query(Statements.backup["backup_sequences"]) {
            sequences[try row.get("name")] = try row.getOptional("last_value", as: Int64.self)
        }
        return BackupContents(
            program: program, madeAt: "\(now)",
            migrations: try await transaction.query(Statements.migrations["list_migrations"]).map {
                .init(name: try $0.get("name"), digest: try $0.get("digest"))
            },
            sequences: sequences)
    }

    /// Hands the rows over in parts of at most `BackupRecord.mostBytes`.
    private nonisolated(nonsending) func copyOut(
        _ table: BackupTable, _ transaction: Transaction, into sink: ([UInt8]) throws -> Void
    ) async throws -> TableCopy {
        _ = try await transaction.query(Statements.backup["backup_form"])
        var digest = SHA256()
        var rows = 0
        var gathered: [UInt8] = []
        try await transaction.copyOut(table.copyOut) { piece in
            digest.update(data: piece)
            // A line ends a row: within a value COPY writes \n.
            rows += piece.count { $0 == 0x0A }
            gathered += piece
            while gathered.count >= BackupRecord.mostBytes {
                try sink(Array(gathered.prefix(BackupRecord.mostBytes)))
                gathered.removeFirst(BackupRecord.mostBytes)
            }
        }
        if !gathered.isEmpty { try sink(gathered) }
        let sum = digest.finalize().map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        return TableCopy(name: table.name, rows: rows, sha256: sum)
    }
}
