import Postgres

extension Transaction {
    /// Passes the rows of a table to `sink` in pieces: CSV text, or binary rows if it is made from stored sheets.
    nonisolated(nonsending) func copy(
        _ table: Table, of snapshot: DatasetSnapshot,
        into sink: nonisolated(nonsending) ([UInt8]) async throws -> Void
    ) async throws {
        if let computed = table.computed {
            return try await ComputedTableCopy(table: table, snapshot: snapshot, transaction: self)
                .run(computed, into: sink)
        }
        try await DatasetSnapshot.set("instrument", table.instrument ?? "", in: self)
        let command = table.copyCommand(
            snapshot.profile, hasUnknownZones: !snapshot.unknownZones.isEmpty,
            settings: try await DatasetSettings.read(in: self, isPast: snapshot.isPast))
        try await copyOut(command, into: sink)
    }
}
