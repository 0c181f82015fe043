import Crypto
import Foundation
import Postgres
import SaunterCore

extension Backup {
    /// What becomes of the numbers and lists that the outside knows.
    package enum Purpose: Sendable {
        /// A database that goes into service: numbers of changes go on beyond any that may have been given out after the backup was made,
        /// everything counts as changed, and a history of its own begins, so that whoever held numbers of the former one begins anew.
        case service
        /// A database to look at: it stays as the backup has it.
        case rehearsal
    }

    /// Fills an empty database from a backup: the migrations that the backup was made under, then its rows in one transaction, so that there is
    /// everything or nothing. Nothing is kept of a backup that is damaged or cut short anywhere.
    /// - Parameter progress: called after each table.
    /// - Returns: what the backup says of itself, and its tables.
    /// - Throws: `BackupFault`, `MigrationFault` or `DatabaseError`.
    package nonisolated(nonsending) func restore(
        from path: String, for purpose: Purpose, now: Instant, progress: (TableCopy) -> Void = { _ in }
    ) async throws -> (contents: BackupContents, copies: [TableCopy]) {
        let file = try BackupFileReader(path: path, master: master)
        guard case .begin(let contents) = try file.next() else { throw BackupFault.damaged(path: path) }
        try await Migrations.apply(try migrations(of: contents), to: url, logger: logger)
        let history = UUID()
        let copies = try await pooled { pool in
            try await pool.write { transaction in
                _ = try await transaction.query(Statements.backup["backup_form"])
                let tables = try await BackupTable.all(transaction)
                for table in tables where try await isFilled(table, transaction) {
                    throw BackupFault.notEmpty(table: table.name)
                }
                var copies: [TableCopy] = []
                while let copy = try await nextTable(of: file, path, tables, transaction) {
                    progress(copy)
                    copies.append(copy)
                }
                for (name, last) in contents.sequences.sorted(by: { $0.key < $1.key }) {
                    _ = try await transaction.query(
                        Statements.backup["restore_sequence"], [.text(name), .int8(last)])
                }
                if purpose == .service {
                    let entry = AuditEntry(
                        actor: .system, action: "restored",
                        detail: [
                            "made_at": .string(contents.madeAt), "program": .string(contents.program),
                        ])
                    try await enterService(transaction, history, entry, now)
                }
                return copies
            }
        }
        if purpose == .service {
            try await Migrations.apply(to: url, logger: logger)
            // Where the backup is of a time that knew no histories there was no place for it before.
            try await pooled { pool in
                try await pool.write { try await begin(history, $0, now) }
            }
        }
        return (contents, copies)
    }

    /// What `restore` does for a database that goes into service, of one that was brought back to an earlier moment by other means.
    /// - Throws: `MigrationFault` or `DatabaseError`.
    package nonisolated(nonsending) func noteRecovery(now: Instant) async throws {
        try await Migrations.apply(to: url, logger: logger)
        try await pooled { pool in
            try await pool.write { transaction in
                try await enterService(
                    transaction, UUID(), AuditEntry(actor: .system, action: "recovered"), now)
            }
        }
    }

    /// The beginning of this program's migrations that the backup was made under.
    private func migrations(of contents: BackupContents) throws -> [Migration] {
        let known = Dictionary(uniqueKeysWithValues: Migrations.all.map { ($0.name, $0) })
        let foreign = contents.migrations.filter { known[$0.name]?.digest != $0.digest }
        guard foreign.isEmpty else { throw BackupFault.otherVersion(migrations: foreign.map(\.name)) }
        let names = Set(contents.migrations.map(\.name))
        return Migrations.all.filter { names.contains($0.name) }
    }

    private nonisolated(nonsending) func isFilled(_ table: BackupTable, _ transaction: Transaction)
        async throws -> Bool
    {
        try await transaction.query(Statement(name: "is_filled", sql: table.isFilled), []).one().get("exists")
    }

    /// Nil at the end of the backup.
    private nonisolated(nonsending) func nextTable(
        of file: BackupFileReader, _ path: String, _ tables: [BackupTable], _ transaction: Transaction
    ) async throws -> TableCopy? {
        let record = try file.next()
        if record == .end { return nil }
        guard case .table(let name) = record, let table = tables.first(where: { $0.name == name }) else {
            throw BackupFault.damaged(path: path)
        }
        if let silence = table.silence { try await transaction.execute(script: silence) }
        let rows = RestoredRows(file: file, path: path)
        let count = try await transaction.copyIn(table.copyIn, from: rows)
        if let speak = table.speak { try await transaction.execute(script: speak) }
        guard let copy = rows.state.copy, copy.name == name, copy.rows == count,
            copy.sha256 == rows.state.digest
        else { throw BackupFault.different(table: name) }
        return copy
    }

    private nonisolated(nonsending) func enterService(
        _ transaction: Transaction, _ history: UUID, _ entry: AuditEntry, _ now: Instant
    ) async throws {
        _ = try await transaction.pipeline([
            (Statements.backup["restore_change_counters"], [.instant(now)]),
            (Statements.backup["restore_changes"], []),
            (Statements.backup["restore_erasures"], []),
            entry.call(at: now),
        ])
        let hasHistory = try await transaction.query(Statements.backup["has_history"]).one()
            .get("is_there", as: Bool.self)
        if hasHistory { try await begin(history, transaction, now) }
    }

    private nonisolated(nonsending) func begin(
        _ history: UUID, _ transaction: Transaction, _ now: Instant
    ) async throws {
        _ = try await transaction.query(
            Statements.backup["begin_history"], [.uuid(history), .instant(now)])
    }
}

/// The rows of one table as they come out of the file, for COPY.
struct RestoredRows: AsyncSequence, AsyncIteratorProtocol {
    /// What was seen on the way.
    final class State {
        var sum = SHA256()
        var copy: TableCopy?

        var digest: String {
            sum.finalize().map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        }
    }

    let file: BackupFileReader
    let path: String
    let state = State()

    func makeAsyncIterator() -> RestoredRows { self }

    mutating func next() async throws -> [UInt8]? {
        switch try file.next() {
        case .rows(let bytes):
            state.sum.update(data: bytes)
            return bytes
        case .tableEnd(let copy):
            state.copy = copy
            return nil
        default: throw BackupFault.damaged(path: path)
        }
    }
}
