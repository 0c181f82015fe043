import Crypto
import Foundation
import Logging
import Postgres
import SaunterCore

/// Writes the complete database to one encrypted file, and restores it.
///
/// A backup is made from one snapshot while other transactions continue to write. It contains the rows of every table
/// in the text format of COPY, the names of the applied migrations, and a digest of each table. Only the master key
/// that the server used when the backup was made can decrypt it.
package struct Backup: Sendable {
    let url: ConnectionString
    private let master: Secret<[UInt8]>
    let logger: Logger

    /// - Parameters:
    ///   - url: the database, with the login of its owner.
    ///   - master: the server's master key, 32 bytes.
    package init(of url: ConnectionString, master: [UInt8], logger: Logger) {
        self.url = url
        self.master = Secret(master)
        self.logger = logger
    }

    /// Writes a new file. The file appears under its path only when it is complete and flushed to disk.
    /// - Parameters:
    ///   - program: the version that makes the backup.
    ///   - progress: called after each table.
    /// - Returns: the copied tables, in the order of copying.
    /// - Throws: `BackupFault` or `DatabaseError`.
    package nonisolated(nonsending) func write(
        to path: String, program: String, now: Instant, progress: (TableCopy) -> Void = { _ in }
    ) async throws -> [TableCopy] {
        let file = try BackupFileWriter(path: path, master: master.revealed)
        let copies = try await withPool { pool in
            try await pool.read(isolation: .repeatableRead) { transaction in
                try file.write(.begin(try await header(transaction, program, now)))
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

    /// Checks that the database contains exactly the copied rows.
    /// - Throws: `BackupFault.mismatch` with the first table that differs.
    package nonisolated(nonsending) func compare(with copies: [TableCopy]) async throws {
        try await withPool { pool in
            try await pool.read(isolation: .repeatableRead) { transaction in
                var expected = Dictionary(uniqueKeysWithValues: copies.map { ($0.name, $0) })
                for table in try await BackupTable.all(transaction) {
                    let found = try await copyOut(table, transaction) { _ in }
                    // A table that the backup does not contain was added by a later migration. It must be empty.
                    guard expected.removeValue(forKey: table.name).map({ $0 == found }) ?? (found.rows == 0)
                    else {
                        throw BackupFault.mismatch(table: table.name)
                    }
                }
                if let missing = expected.values.map(\.name).min() {
                    throw BackupFault.mismatch(table: missing)
                }
            }
        }
    }

    /// Runs the body with a pool of one connection of the database's owner.
    nonisolated(nonsending) func withPool<Value>(_ body: nonisolated(nonsending) (Pool) async throws -> Value)
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

    private nonisolated(nonsending) func header(
        _ transaction: Transaction, _ program: String, _ now: Instant
    ) async throws
        -> BackupHeader
    {
        _ = try await transaction.query(Statements.backup["backup_form"])
        var sequences: [String: Int64] = [:]
        for row in try await transaction.query(Statements.backup["backup_sequences"]) {
            sequences[try row.get("name")] = try row.getOptional("last_value", as: Int64.self)
        }
        return BackupHeader(
            program: program, madeAt: "\(now)",
            migrations: try await transaction.query(Statements.migrations["list_migrations"]).map {
                .init(name: try $0.get("name"), digest: try $0.get("digest"))
            },
            sequences: sequences)
    }

    /// Copies the rows of a table to the sink, in parts of at most `BackupRecord.maximumBytes`.
    private nonisolated(nonsending) func copyOut(
        _ table: BackupTable, _ transaction: Transaction, into sink: ([UInt8]) throws -> Void
    ) async throws -> TableCopy {
        _ = try await transaction.query(Statements.backup["backup_form"])
        var digest = SHA256()
        var rows = 0
        var buffer: [UInt8] = []
        try await transaction.copyOut(table.copyOut) { piece in
            digest.update(data: piece)
            // A line feed ends a row: COPY writes a line feed within a value as \n.
            rows += piece.count { $0 == 0x0A }
            buffer += piece
            while buffer.count >= BackupRecord.maximumBytes {
                try sink(Array(buffer.prefix(BackupRecord.maximumBytes)))
                buffer.removeFirst(BackupRecord.maximumBytes)
            }
        }
        if !buffer.isEmpty { try sink(buffer) }
        let sum = Hex.encode(digest.finalize())
        return TableCopy(name: table.name, rows: rows, sha256: sum)
    }
}

extension Backup {
    /// What the restored database is for.
    package enum Purpose: Sendable {
        /// The database goes into service. Change numbers continue above every number that may have been assigned after
        /// the backup was made. All records count as changed. A new history begins, so that readers with cursors of the
        /// former history start again.
        case service
        /// The database is only inspected. It stays as it is in the backup.
        case inspection
    }

    /// Fills an empty database from a backup: applies the migrations of the backup, then inserts its rows in one
    /// transaction. If the backup is damaged or truncated, no rows are stored; the migrations stay applied.
    /// - Parameter progress: called after each table.
    /// - Returns: the header of the backup, and its tables.
    /// - Throws: `BackupFault`, `MigrationFault` or `DatabaseError`.
    package nonisolated(nonsending) func restore(
        from path: String, for purpose: Purpose, now: Instant, progress: (TableCopy) -> Void = { _ in }
    ) async throws -> (header: BackupHeader, copies: [TableCopy]) {
        let file = try BackupFileReader(path: path, master: master.revealed)
        guard case .begin(let header) = try file.next() else { throw BackupFault.damaged(path: path) }
        try await Migrations.apply(try migrations(of: header), to: url, logger: logger)
        let history = UUID()
        let copies = try await withPool { pool in
            try await pool.write { transaction in
                _ = try await transaction.query(Statements.backup["backup_form"])
                let tables = try await BackupTable.all(transaction)
                for table in tables where try await isFilled(table, transaction) {
                    throw BackupFault.notEmpty(table: table.name)
                }
                var copies: [TableCopy] = []
                while let copy = try await restoreNextTable(of: file, path, tables, transaction) {
                    progress(copy)
                    copies.append(copy)
                }
                for (name, last) in header.sequences.sorted(by: { $0.key < $1.key }) {
                    _ = try await transaction.query(
                        Statements.backup["restore_sequence"],
                        ["name": .text(name), "last_value": .int8(last)])
                }
                if purpose == .service {
                    let entry = AuditEntry(
                        actor: .system, action: "restored",
                        detail: [
                            "made_at": .string(header.madeAt), "program": .string(header.program),
                        ])
                    try await prepareForService(transaction, history, entry, now)
                }
                return copies
            }
        }
        if purpose == .service {
            try await Migrations.apply(to: url, logger: logger)
            // If the backup is older than the table of histories, the migration has just created it, and the history
            // begins here. Otherwise this call stores the same history again.
            try await withPool { pool in
                try await pool.write { try await beginHistory(history, $0, now) }
            }
        }
        return (header, copies)
    }

    /// Does what `restore` does for a database that goes into service. Call it if the database was restored to an
    /// earlier instant by other means.
    /// - Throws: `MigrationFault` or `DatabaseError`.
    package nonisolated(nonsending) func recordRecovery(now: Instant) async throws {
        try await Migrations.apply(to: url, logger: logger)
        try await withPool { pool in
            try await pool.write { transaction in
                try await prepareForService(
                    transaction, UUID(), AuditEntry(actor: .system, action: "recovered"), now)
            }
        }
    }

    /// The migrations under which the backup was made.
    private func migrations(of header: BackupHeader) throws -> [Migration] {
        let known = Dictionary(uniqueKeysWithValues: Migrations.all.map { ($0.name, $0) })
        let foreign = header.migrations.filter { known[$0.name]?.digest != $0.digest }
        guard foreign.isEmpty else { throw BackupFault.unknownMigrations(migrations: foreign.map(\.name)) }
        let names = Set(header.migrations.map(\.name))
        return Migrations.all.filter { names.contains($0.name) }
    }

    private nonisolated(nonsending) func isFilled(_ table: BackupTable, _ transaction: Transaction)
        async throws -> Bool
    {
        try await transaction.query(Statement(name: "is_filled", sql: table.filledQuery), []).one().get(
            "exists")
    }

    /// Restores the next table. Nil at the end of the backup.
    private nonisolated(nonsending) func restoreNextTable(
        of file: BackupFileReader, _ path: String, _ tables: [BackupTable], _ transaction: Transaction
    ) async throws -> TableCopy? {
        let record = try file.next()
        if record == .end { return nil }
        guard case .table(let name) = record, let table = tables.first(where: { $0.name == name }) else {
            throw BackupFault.damaged(path: path)
        }
        if let disableTriggers = table.disableTriggers {
            try await transaction.execute(script: disableTriggers)
        }
        let rows = RestoredRows(file: file, path: path)
        let count = try await transaction.copyIn(table.copyIn, from: rows)
        if let enableTriggers = table.enableTriggers { try await transaction.execute(script: enableTriggers) }
        guard let copy = rows.state.copy, copy.name == name, copy.rows == count,
            copy.sha256 == rows.state.digest
        else { throw BackupFault.mismatch(table: name) }
        return copy
    }

    /// Raises the change counters, marks all records as changed, writes the audit entry and begins a new history.
    private nonisolated(nonsending) func prepareForService(
        _ transaction: Transaction, _ history: UUID, _ entry: AuditEntry, _ now: Instant
    ) async throws {
        _ = try await transaction.pipeline([
            (Statements.backup["restore_change_counters"], ["now": .instant(now)]),
            (Statements.backup["restore_changes"], []),
            (Statements.backup["restore_erasures"], []),
            entry.call(at: now, StoreSecrets(master: master.revealed)),
        ])
        let hasHistory = try await transaction.query(Statements.backup["has_history"]).one()
            .get("is_there", as: Bool.self)
        if hasHistory { try await beginHistory(history, transaction, now) }
    }

    private nonisolated(nonsending) func beginHistory(
        _ history: UUID, _ transaction: Transaction, _ now: Instant
    ) async throws {
        _ = try await transaction.query(
            Statements.backup["begin_history"], ["history_id": .uuid(history), "now": .instant(now)])
    }
}

/// The rows of one table, read from the file for COPY.
struct RestoredRows: AsyncSequence, AsyncIteratorProtocol {
    /// The digest of the rows so far, and the end record of the table.
    final class State {
        var hash = SHA256()
        var copy: TableCopy?

        var digest: String {
            Hex.encode(hash.finalize())
        }
    }

    let file: BackupFileReader
    let path: String
    let state = State()

    func makeAsyncIterator() -> RestoredRows { self }

    mutating func next() async throws -> [UInt8]? {
        switch try file.next() {
        case .rows(let bytes):
            state.hash.update(data: bytes)
            return bytes
        case .tableEnd(let copy):
            state.copy = copy
            return nil
        default: throw BackupFault.damaged(path: path)
        }
    }
}
