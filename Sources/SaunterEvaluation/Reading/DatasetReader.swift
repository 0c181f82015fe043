import Postgres
import SaunterCore

/// Reads parts of the tables that the dataset of a study would contain now, with the same columns and codes. Each read
/// uses one snapshot.
package struct DatasetReader: Sendable {
    /// Statement timeout in milliseconds.
    private static let timeout = 60_000

    private let pool: Pool
    private let cache = DefinitionCache()

    /// - Parameter pool: connections of the role `saunter_export`, which cannot read identities.
    package init(pool: Pool) {
        self.pool = pool
    }

    /// Runs `body` on a snapshot of the study.
    /// - Parameters:
    ///   - profile: `coded` or `full`, which do not create pseudonyms.
    ///   - blindingSecret: the secret that orders the letters of arms; nil for the codes of arms.
    /// - Throws: `DatasetFault`, `DatabaseError`, or an error of `body`.
    package nonisolated(nonsending) func read<Value>(
        _ study: String, profile: DatasetProfile, blindingSecret: [UInt8]? = nil, now: Instant,
        _ body: nonisolated(nonsending) (DatasetReadSession) async throws -> Value
    ) async throws -> Value {
        try await pool.read(isolation: .repeatableRead) { transaction in
            let versions = try await transaction.query(
                SQLFile.frame["dataset_versions"], ["study": .text(study)])
            let definitions = try await cache.definitions(of: study, rows: versions)
                .shown(blindingSecret: blindingSecret)
            try await DatasetSnapshot.begin(definitions, DatasetFilters(), in: transaction)
            _ = try await transaction.query(
                SQLFile.readers["reading_bound"], ["milliseconds": .text(String(Self.timeout))])
            let unknownZones = try await DatasetSnapshot.findUnknownZones(DatasetFilters(), in: transaction)
            // A dataset uses the last instant at which something changed. The current time gives the same state.
            try await DatasetSnapshot.set("as_of", now.description, in: transaction)
            return try await body(
                DatasetReadSession(
                    definitions: definitions, profile: profile, hasUnknownZones: !unknownZones.isEmpty,
                    transaction: transaction))
        }
    }

    /// The tables of a profile, as in the dataset. A table that is computed in the process cannot be filtered by the
    /// database and is not included.
    package static func tables(of definitions: StudyDefinitions, _ profile: DatasetProfile) -> [Table] {
        Tables.all(definitions, profile).filter { $0.computed == nil }
            .map { $0.withExpressions(definitions) }
    }

    /// The published definitions of a study, without data of participants.
    /// - Parameter blindingSecret: the secret that orders the letters of arms; nil for the codes of arms.
    package func definitions(of study: String, blindingSecret: [UInt8]? = nil) async throws
        -> StudyDefinitions
    {
        let rows = try await pool.query(SQLFile.frame["dataset_versions"], ["study": .text(study)])
        return try await cache.definitions(of: study, rows: rows).shown(blindingSecret: blindingSecret)
    }
}

/// An open snapshot of a study. It is valid only inside its block.
package struct DatasetReadSession {
    /// The published definitions of the study.
    package let definitions: StudyDefinitions
    /// The profile that is applied to the rows.
    package let profile: DatasetProfile
    let hasUnknownZones: Bool
    let transaction: Transaction

    /// The tables of the profile, as in the dataset.
    package var tables: [Table] { DatasetReader.tables(of: definitions, profile) }

    /// Passes the rows of a query as CSV with a header to `sink`, in pieces.
    /// - Throws: `TableQueryFault`, `DatabaseError`, or an error of `sink`.
    package nonisolated(nonsending) func rows(
        of table: Table, _ query: TableQuery = TableQuery(),
        into sink: nonisolated(nonsending) ([UInt8]) async throws -> Void
    ) async throws {
        var command = TableCommand(table, profile, hasUnknownZones: hasUnknownZones)
        let sql = try command.rows(query)
        try await prepare(table, command)
        try await transaction.copyOut(sql, into: sink)
    }

    /// The rows of a query as one CSV text, for queries with a limit.
    package nonisolated(nonsending) func rows(
        of table: Table, _ query: TableQuery
    ) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        try await rows(of: table, query) { bytes += $0 }
        return bytes
    }

    /// The number of rows that fulfil a condition.
    package nonisolated(nonsending) func count(
        of table: Table, _ condition: TableQuery.Condition? = nil
    ) async throws -> Int {
        var command = TableCommand(table, profile, hasUnknownZones: hasUnknownZones)
        let sql = try command.count(condition)
        try await prepare(table, command)
        var bytes: [UInt8] = []
        try await transaction.copyOut(sql) { bytes += $0 }
        // The header, and below it the number.
        guard let count = Int(String(decoding: bytes, as: UTF8.self).split(separator: "\n").last ?? "") else {
            throw BinaryReader.fault
        }
        return count
    }

    private func prepare(_ table: Table, _ command: TableCommand) async throws {
        try await DatasetSnapshot.set("instrument", table.instrument ?? "", in: transaction)
        _ = try await transaction.pipeline(
            command.values.enumerated().map { index, value in
                (
                    SQLFile.frame["dataset_set"],
                    ["name": .text("saunter.value_\(index + 1)"), "value": .text(value)]
                )
            })
    }
}
