import Postgres
import SaunterCore

/// Writes the dataset of a study from one repeatable-read snapshot. Each file is streamed from one `COPY` command, or
/// from one for each batch of participants if rows are computed in the process. Therefore memory use does not grow with
/// the number of rows. The same data give the same bytes.
package struct DatasetWriter: Sendable {
    /// The progress of a dataset that is being written.
    package struct Progress: Sendable, Hashable {
        /// The file that is being written; the first one if a table has several formats.
        package let file: String
        /// The number of tables that are complete.
        package let filesDone: Int
        /// The number of tables.
        package let filesTotal: Int
        /// Bytes of CSV text of all tables so far.
        package let bytes: Int
        /// Rows of all tables so far.
        package let rows: Int
        /// The estimated number of rows of all tables.
        package let estimatedRows: Int

        /// The completed share, from 0 to 1.
        package var share: Double {
            let files = Double(filesDone) / Double(max(1, filesTotal))
            return estimatedRows > 0 ? min(1, Double(rows) / Double(estimatedRows)) : files
        }
    }

    /// The version of Saunter in the manifest.
    private static let softwareVersion = "0.5.0"

    let pool: Pool
    private let isServerBusy: (@Sendable () async -> Bool)?
    private let numberChanges: (@Sendable (_ study: String) async throws -> Void)?
    private let secret: (@Sendable (_ study: String) -> [UInt8])?

    /// - Parameters:
    ///   - pool: connections of the role `saunter_export`, which cannot read identities.
    ///   - isServerBusy: for exports that run in the server process. The export uses one processor, and pauses while
    ///     this returns true.
    ///   - numberChanges: assigns change numbers to all committed changes, which the role `saunter_export` cannot do.
    ///     If it is nil, the dataset states the last number that was assigned.
    ///   - secret: returns the secret of a study, from which pseudonyms and date shifts are derived, and the
    ///     letters of arms. If it is nil, the profile `deidentified` and blinded datasets are not available.
    package init(
        pool: Pool, isServerBusy: (@Sendable () async -> Bool)? = nil,
        numberChanges: (@Sendable (_ study: String) async throws -> Void)? = nil,
        secret: (@Sendable (_ study: String) -> [UInt8])? = nil
    ) {
        self.pool = pool
        self.isServerBusy = isServerBusy
        self.numberChanges = numberChanges
        self.secret = secret
    }

    /// The tag that the dataset would have if it were made now; see `DatasetManifest.tag`. Nil if some committed change
    /// has no number yet.
    package func tag(of request: DatasetRequest, now: Instant) async throws -> String? {
        try await numberChanges?(request.study)
        return try await pool.read(isolation: .repeatableRead) { transaction in
            try await DatasetState.read(
                request.study, request.filters, now: request.asOf ?? now, in: transaction)
        }.tag(of: request, software: Self.softwareVersion)
    }

    /// Writes the dataset into a new folder. The folder gets its final name after all files are complete.
    /// - Parameters:
    ///   - now: the latest instant that the dataset may show; nil uses the clock of the database.
    ///   - progress: called before each file and about once per megabyte.
    /// - Throws: `DatasetFault`, `DatabaseError`, `ParquetFault`, or an error of the file system. After an error the
    ///   folder is removed.
    package func write(
        _ request: DatasetRequest, to directory: String, now: Instant? = nil,
        progress: @Sendable (Progress) -> Void = { _ in }
    ) async throws -> DatasetManifest {
        var target = try DatasetDirectory(directory)
        do {
            try await numberChanges?(request.study)
            let manifest = try await pool.read(isolation: .repeatableRead) { transaction in
                if isServerBusy != nil { _ = try await transaction.query(SQLFile.frame["dataset_sparing"]) }
                let snapshot = try await DatasetSnapshot.open(
                    request.study, profile: request.profile, filters: request.filters,
                    language: request.language, asOf: request.asOf, isBlinded: request.isBlinded,
                    secret: secret, now: now, in: transaction)
                let tables = Tables.all(
                    snapshot.definitions, request.profile,
                    months: try await WalkMonth.read(
                        request.profile, isPast: snapshot.isPast, in: transaction),
                    hasDates: request.filters.hasDates)
                try await copy(tables, snapshot, transaction, into: &target, progress)
                try DatasetFormatWriter(snapshot: snapshot, tables: tables, formats: request.formats)
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

    private func copy(
        _ tables: [Table], _ snapshot: DatasetSnapshot, _ transaction: Transaction,
        into target: inout DatasetDirectory,
        _ progress: @Sendable (Progress) -> Void
    ) async throws {
        var estimate = try await snapshot.estimate(tables, in: transaction)
        var (bytes, rows) = (0, 0)
        var throttle = isServerBusy.map(ExportThrottle.init(isServerBusy:))
        for (index, table) in tables.enumerated() {
            func report(_ new: Int) {
                estimate.update(table.name, rows: new, isWhole: false)
                progress(
                    Progress(
                        file: table.path(table.formats[0]), filesDone: index, filesTotal: tables.count,
                        bytes: bytes, rows: rows + new, estimatedRows: estimate.total))
            }
            report(0)
            var (reported, written) = (bytes, 0)
            try await target.write(table, of: snapshot) { files in
                try await transaction.copy(table, of: snapshot) { piece in
                    try files.write(piece)
                    bytes += piece.count
                    written = files.rows
                    if bytes - reported > 1 << 20 {
                        reported = bytes
                        report(written)
                    }
                    try await throttle?.pauseIfNeeded()
                }
            }
            rows += written
            estimate.update(table.name, rows: written, isWhole: true)
        }
        progress(
            Progress(
                file: "", filesDone: tables.count, filesTotal: tables.count, bytes: bytes, rows: rows,
                estimatedRows: rows))
    }
}

extension DatasetWriter {
    /// Records in the audit log that an operator exported a dataset at the command line: the snapshot, the profile, and
    /// the numbers of enrolments and rows.
    package func record(_ manifest: DatasetManifest, profile: DatasetProfile) async throws {
        let detail: JSON = [
            "snapshot": .string(manifest.snapshot), "profile": .string(profile.rawValue),
            "enrolments": .int(manifest.participants.enrolments), "rows": manifest.rows,
        ]
        _ = try await pool.query(
            SQLFile.frame["record_export"], ["study": .text(manifest.study), "detail": .jsonb(detail.text)])
    }
}
