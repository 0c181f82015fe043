import Postgres
import SaunterCore

/// Reads parts of what the dataset of a study would hold at this moment: the same tables, columns and codes, each reading from one snapshot.
package struct DatasetReading: Sendable {
    /// A statement that takes longer is given up.
    private static let milliseconds = 60_000

    private let pool: Pool
    private let shelf = DefinitionShelf()

    /// - Parameter pool: under the role `saunter_export`, which reads no identities.
    package init(pool: Pool) {
        self.pool = pool
    }

    /// Runs the block on a snapshot of the study.
    /// - Parameter profile: `coded` or `full`, which need no pseudonyms of their own.
    /// - Throws: `DatasetFault`, `DatabaseError`, or what the block throws.
    package nonisolated(nonsending) func read<Value>(
        _ study: String, profile: DatasetProfile, now: Instant,
        _ body: nonisolated(nonsending) (OpenReading) async throws -> Value
    ) async throws -> Value {
        try await pool.read(isolation: .repeatableRead) { transaction in
            let versions = try await transaction.query(
                SQLFile.frame["dataset_versions"], [.text(study)])
            let definitions = try await shelf.definitions(of: study, rows: versions)
            try await DatasetSnapshot.begin(definitions, DatasetFilters(), in: transaction)
            _ = try await transaction.query(
                SQLFile.readers["reading_bound"], [.text(String(Self.milliseconds))])
            let strange = try await DatasetSnapshot.guardZones(in: transaction)
            // Whatever turned since the dataset's own moment, which is the last at which anything did, is told alike.
            try await DatasetSnapshot.set("as_of", now.description, in: transaction)
            return try await body(
                OpenReading(
                    definitions: definitions, profile: profile, guardsZones: !strange.isEmpty,
                    transaction: transaction))
        }
    }

    /// The tables that a profile has, as in the dataset.
    package static func tables(of definitions: StudyDefinitions, _ profile: DatasetProfile) -> [Table] {
        Tables.all(definitions, profile).map { $0.inExpressions(definitions) }
    }

    /// What the study has published, without any data of people.
    package func definitions(of study: String) async throws -> StudyDefinitions {
        let rows = try await pool.query(SQLFile.frame["dataset_versions"], [.text(study)])
        return try await shelf.definitions(of: study, rows: rows)
    }
}

/// A snapshot that is being read. Usable inside its block only.
package struct OpenReading {
    package let definitions: StudyDefinitions
    package let profile: DatasetProfile
    let guardsZones: Bool
    let transaction: Transaction

    /// The tables that the profile has, as in the dataset.
    package var tables: [Table] { DatasetReading.tables(of: definitions, profile) }

    /// The rows of a query as CSV with a header, piece by piece.
    /// - Throws: `TableQueryFault`, `DatabaseError`, or what the sink throws.
    package nonisolated(nonsending) func rows(
        of table: Table, _ query: TableQuery = TableQuery(),
        into sink: nonisolated(nonsending) ([UInt8]) async throws -> Void
    ) async throws {
        var command = TableCommand(table, profile, guardsZones: guardsZones)
        let sql = try command.rows(query)
        try await prepare(table, command)
        try await transaction.copyOut(sql, into: sink)
    }

    /// The same, gathered: for queries with a limit.
    package nonisolated(nonsending) func rows(
        of table: Table, _ query: TableQuery
    ) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        try await rows(of: table, query) { bytes += $0 }
        return bytes
    }

    /// How many rows there are.
    package nonisolated(nonsending) func count(
        of table: Table, _ condition: TableQuery.Condition? = nil
    ) async throws -> Int {
        var command = TableCommand(table, profile, guardsZones: guardsZones)
        let sql = try command.count(condition)
        try await prepare(table, command)
        var bytes: [UInt8] = []
        try await transaction.copyOut(sql) { bytes += $0 }
        return Int(String(decoding: bytes, as: UTF8.self).split(separator: "\n").last ?? "") ?? 0
    }

    private func prepare(_ table: Table, _ command: TableCommand) async throws {
        try await DatasetSnapshot.set("instrument", table.instrument ?? "", in: transaction)
        _ = try await transaction.pipeline(
            command.values.enumerated().map { place, value in
                (SQLFile.frame["dataset_set"], [.text("saunter.value_\(place + 1)"), .text(value)])
            })
    }
}
