import Postgres

/// The tables of a dataset, to be read one by one from one snapshot: for those who want rows rather than files.
package struct DatasetTables {
    let snapshot: DatasetSnapshot
    let transaction: Transaction
    private let tables: [Table]

    init(_ snapshot: DatasetSnapshot, _ transaction: Transaction) {
        self.snapshot = snapshot
        self.transaction = transaction
        tables = Tables.all(snapshot.definitions, snapshot.profile)
    }

    /// Hands over the CSV text of a table, `wide_pss_10` say, piece by piece as it stands in the dataset's file.
    /// - Throws: `DatasetFault.unknownTable`, `DatabaseError`, or what the sink throws.
    package nonisolated(nonsending) func copy(
        _ name: String, into sink: nonisolated(nonsending) ([UInt8]) async throws -> Void
    ) async throws {
        guard let table = tables.first(where: { $0.name == name }) else {
            throw DatasetFault.unknownTable(name, known: tables.map(\.name))
        }
        try await DatasetSnapshot.set("instrument", table.instrument ?? "", in: transaction)
        let command = table.copy(
            snapshot.profile, guardsZones: !snapshot.strangeZones.isEmpty,
            settings: try await FrameSettings.read(in: transaction))
        var rows = table.stored.map { StoredRows(table.columns, $0, snapshot.profile) }
        try await transaction.copyOut(command) { piece in try await sink(try rows?.csv(piece) ?? piece) }
    }
}

extension DatasetWriter {
    /// Reads tables by the profile `coded` in one repeatable-read transaction.
    /// - Throws: as `write` does.
    package nonisolated(nonsending) func read<Value>(
        study: String, filters: DatasetFilters = DatasetFilters(),
        _ body: nonisolated(nonsending) (DatasetTables) async throws -> Value
    ) async throws -> Value {
        try await pool.read(isolation: .repeatableRead) { transaction in
            let snapshot = try await DatasetSnapshot.open(
                study, profile: .coded, filters: filters, secret: nil, now: nil, in: transaction)
            return try await body(DatasetTables(snapshot, transaction))
        }
    }
}
