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
        /// Of all tables so far, as CSV.
        package let bytes: Int
        /// Of all tables so far.
        package let rows: Int
        /// About as many as there will be.
        package let estimatedRows: Int

        /// Of the whole, 0 to 1.
        package var share: Double {
            let files = Double(filesDone) / Double(max(1, filesTotal))
            return estimatedRows > 0 ? min(1, Double(rows) / Double(estimatedRows)) : files
        }
    }

    /// Of Saunter, for the manifest.
    private static let softwareVersion = "0.1.0"

    let pool: Pool
    private let isSparing: Bool
    private let number: (@Sendable (_ study: String) async throws -> Void)?
    private let secret: (@Sendable (_ study: String) -> [UInt8])?

    /// - Parameters:
    ///   - pool: under the role `saunter_export`, which reads no identities.
    ///   - isSparing: leaves all processors but one to those who hand in meanwhile.
    ///   - number: gives a number to every change that was committed before, which that role cannot; without it a dataset
    ///     tells the number that was given last.
    ///   - secret: what a study's pseudonyms and shifts follow from; without it there are no de-identified
    ///     datasets.
    package init(
        pool: Pool, isSparing: Bool = false,
        number: (@Sendable (_ study: String) async throws -> Void)? = nil,
        secret: (@Sendable (_ study: String) -> [UInt8])? = nil
    ) {
        self.pool = pool
        self.isSparing = isSparing
        self.number = number
        self.secret = secret
    }

    /// What the dataset would be known by if it were made now, as `DatasetManifest.tag`; nil when that cannot be told.
    package func tag(of request: DatasetRequest, now: Instant) async throws -> String? {
        try await number?(request.study)
        return try await pool.read(isolation: .repeatableRead) { transaction in
            try await DatasetState.read(request.study, now: now, in: transaction)
        }.tag(of: request, software: Self.softwareVersion)
    }

    /// Makes the dataset in a new folder, which has its name only once everything is in it.
    /// - Parameters:
    ///   - now: the moment beyond which nothing is told; nil is the database's clock.
    ///   - progress: called before each file and about every megabyte.
    /// - Throws: `DatasetFault`, `DatabaseError`, `ParquetFault`, or what the file system says; then nothing is
    ///   left in the folder.
    package func write(
        _ request: DatasetRequest, to directory: String, now: Instant? = nil,
        progress: @Sendable (Progress) -> Void = { _ in }
    ) async throws -> DatasetManifest {
        var target = try DatasetDirectory(directory)
        do {
            try await number?(request.study)
            let manifest = try await pool.read(isolation: .repeatableRead) { transaction in
                if isSparing { _ = try await transaction.query(SQLFile.frame["dataset_sparing"]) }
                let snapshot = try await DatasetSnapshot.open(
                    request.study, profile: request.profile, filters: request.filters, secret: secret,
                    now: now, in: transaction)
                let tables = Tables.all(
                    snapshot.definitions, request.profile,
                    months: try await WalkMonth.read(request.profile, in: transaction))
                try await Self.copy(tables, snapshot, transaction, into: &target, progress)
                try DatasetForms(snapshot: snapshot, tables: tables, formats: request.formats)
                    .write(into: &target)
                return try DatasetMeta(snapshot: snapshot, tables: tables).write(
                    into: &target, request: request, software: Self.softwareVersion)
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
        var estimate = try await snapshot.estimate(tables, in: transaction)
        var (bytes, rows) = (0, 0)
        for (place, table) in tables.enumerated() {
            func report(_ new: Int) {
                estimate.note(table.name, rows: new, isWhole: false)
                progress(
                    Progress(
                        file: table.path(table.formats[0]), filesDone: place, filesTotal: tables.count,
                        bytes: bytes, rows: rows + new, estimatedRows: estimate.total))
            }
            report(0)
            try await DatasetSnapshot.set("instrument", table.instrument ?? "", in: transaction)
            let sql = table.copy(
                snapshot.profile, guardsZones: !snapshot.strangeZones.isEmpty,
                settings: try await FrameSettings.read(in: transaction))
            var (reported, written) = (bytes, 0)
            try await target.write(table, of: snapshot) { files in
                try await transaction.copyOut(sql) { piece in
                    try files.write(piece)
                    bytes += piece.count
                    written = files.rows
                    if bytes - reported > 1 << 20 {
                        reported = bytes
                        report(written)
                    }
                }
            }
            rows += written
            estimate.note(table.name, rows: written, isWhole: true)
        }
        progress(
            Progress(
                file: "", filesDone: tables.count, filesTotal: tables.count, bytes: bytes, rows: rows,
                estimatedRows: rows))
    }
}
