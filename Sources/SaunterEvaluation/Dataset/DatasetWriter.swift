import Postgres
import SaunterCore

/// Writes the dataset of a study: every file from one repeatable-read snapshot, each straight out of a COPY,
/// so that it takes about as long as COPY does and no more memory for more data. The same data give the same
/// bytes.
package struct DatasetWriter: Sendable {
    /// How far a dataset has come.
    package struct Progress: Sendable, Hashable {
        /// The file that is being written; where there are two of the same rows, the first.
        package let file: String
        package let filesDone: Int
        package let filesTotal: Int
        /// Of all rows so far, as CSV.
        package let bytes: Int
    }

    /// Of Saunter, for the manifest.
    private static let softwareVersion = "0.1.0"

    let pool: Pool
    private let secret: (@Sendable (_ study: String) -> [UInt8])?

    /// - Parameters:
    ///   - pool: under the role `saunter_export`, which reads no identities.
    ///   - secret: what a study's pseudonyms and shifts follow from; without it there are no de-identified
    ///     datasets.
    package init(pool: Pool, secret: (@Sendable (_ study: String) -> [UInt8])? = nil) {
        self.pool = pool
        self.secret = secret
    }

    /// Makes the dataset in a new folder, which has its name only once everything is in it.
    /// - Parameters:
    ///   - formats: in which the tables are made beside the canonical files.
    ///   - requestedBy: whoever asked, by an id that names nobody, for the manifest.
    ///   - now: the moment beyond which nothing is told; nil is the database's clock.
    ///   - progress: called before each file and about every megabyte.
    /// - Throws: `DatasetFault`, `DatabaseError`, `ParquetFault`, or what the file system says; then nothing is
    ///   left in the folder.
    package func write(
        study: String, to directory: String, profile: DatasetProfile = .coded,
        filters: DatasetFilters = DatasetFilters(), formats: Set<DatasetFormat> = [],
        requestedBy: String? = nil, now: Instant? = nil, progress: @Sendable (Progress) -> Void = { _ in }
    ) async throws -> DatasetManifest {
        var target = try DatasetDirectory(directory)
        do {
            let manifest = try await pool.read(isolation: .repeatableRead) { transaction in
                let snapshot = try await DatasetSnapshot.open(
                    study, profile: profile, filters: filters, secret: secret, now: now, in: transaction)
                let tables = Tables.all(snapshot.definitions, profile)
                try await Self.copy(tables, snapshot, transaction, into: &target, progress)
                try DatasetForms(snapshot: snapshot, tables: tables, formats: formats).write(into: &target)
                return try DatasetMeta(snapshot: snapshot, tables: tables).write(
                    into: &target, filters: filters, requestedBy: requestedBy,
                    software: Self.softwareVersion)
            }
            try target.finish()
            return manifest
        } catch {
            target.abandon()
            throw error
        }
    }

    private static func copy(
        _ tables: [Table], _ snapshot: DatasetSnapshot, _ transaction: Transaction,
        into target: inout DatasetDirectory,
        _ progress: @Sendable (Progress) -> Void
    ) async throws {
        var bytes = 0
        for (place, table) in tables.enumerated() {
            func report() {
                progress(
                    Progress(
                        file: table.path(table.formats[0]), filesDone: place, filesTotal: tables.count,
                        bytes: bytes))
            }
            report()
            try await DatasetSnapshot.set("instrument", table.instrument ?? "", in: transaction)
            let sql = table.copy(
                snapshot.profile, guardsZones: !snapshot.strangeZones.isEmpty,
                settings: try await FrameSettings.read(in: transaction))
            var reported = bytes
            try await target.write(table, of: snapshot) { files in
                try await transaction.copyOut(sql) { piece in
                    try files.write(piece)
                    bytes += piece.count
                    if bytes - reported > 1 << 20 {
                        reported = bytes
                        report()
                    }
                }
            }
        }
    }
}
