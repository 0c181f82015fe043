import Postgres

/// Runs statements on the records as they were at the instant of the snapshot.
struct SnapshotRecords: Querying {
    let transaction: Transaction
    /// Whether the snapshot shows an earlier state than that of the transaction.
    let isPast: Bool

    func query(_ statement: Statement, _ arguments: Arguments) async throws(DatabaseError) -> Rows {
        try await transaction.query(isPast ? PastTables.apply(to: statement) : statement, arguments)
    }

    func pipeline(_ calls: [(Statement, Arguments)]) async throws(DatabaseError) -> [Rows] {
        guard isPast else { return try await transaction.pipeline(calls) }
        return try await transaction.pipeline(calls.map { (PastTables.apply(to: $0), $1) })
    }
}
