import Postgres

/// Reads the tables of a dataset one by one from one snapshot, for callers that need rows and no files.
package struct DatasetTableReader {
    let snapshot: DatasetSnapshot
    let transaction: Transaction
    private let tables: [Table]

    init(_ snapshot: DatasetSnapshot, _ transaction: Transaction) {
        self.snapshot = snapshot
        self.transaction = transaction
        tables = Tables.all(
            snapshot.definitions, snapshot.profile, hasDates: snapshot.filters.hasDates)
    }

    /// Passes the CSV text of a table, for example `wide_pss_10`, to `sink` in pieces. The text is the same as in the
    /// file of the dataset.
    /// - Throws: `DatasetFault.unknownTable`, `DatabaseError`, or the error of `sink`.
    package nonisolated(nonsending) func copy(
        _ name: String, into sink: nonisolated(nonsending) ([UInt8]) async throws -> Void
    ) async throws {
        guard let table = tables.first(where: { $0.name == name }) else {
            throw DatasetFault.unknownTable(name, known: tables.map(\.name))
        }
        var encoder = table.stored.map { StoredSheetEncoder(table.columns, $0, snapshot.profile) }
        try await transaction.copy(table, of: snapshot) { piece in
            try await sink(try encoder?.csv(piece) ?? piece)
        }
    }
}

extension DatasetWriter {
    /// Reads tables with the profile `coded` in one repeatable-read transaction.
    /// - Throws: the same errors as `write`.
    package nonisolated(nonsending) func read<Value>(
        study: String, filters: DatasetFilters = DatasetFilters(),
        _ body: nonisolated(nonsending) (DatasetTableReader) async throws -> Value
    ) async throws -> Value {
        try await pool.read(isolation: .repeatableRead) { transaction in
            let snapshot = try await DatasetSnapshot.open(
                study, profile: .coded, filters: filters, secret: nil, now: nil, in: transaction)
            return try await body(DatasetTableReader(snapshot, transaction))
        }
    }
}
