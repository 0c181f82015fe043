import Postgres
import SaunterCore

/// A job that makes a dataset, or the statistics of one questionnaire.
package struct ExportJob: Sendable {
    /// What a job makes. Jobs of different kinds do not wait for each other.
    package enum Kind: Sendable, CaseIterable {
        case dataset, statistics
    }

    /// The value of `profile` for statistics. No `DatasetProfile` has it.
    package static let statisticsProfile = "statistics"

    /// The progress of the job.
    package enum State: String, Sendable, CaseIterable {
        case queued, running, done, failed
        /// Stopped before the dataset was complete.
        case cancelled
        /// The retention period is over, and the file is deleted.
        case expired
        /// The file was deleted before the end of the retention period.
        case deleted
    }

    /// The id of the job, part of its URL.
    package var id: ExportID
    /// The code of the study.
    package var study: String
    /// The account that requested the dataset first.
    package var requestedBy: AccountID
    /// The raw value of a `DatasetProfile`, or `statisticsProfile`.
    package var profile: String
    /// The body of the request. For statistics: `questionnaire`.
    package var filters: JSON
    /// Whether letters replace the codes of arms.
    package var isBlinded: Bool
    /// When the job was created, by the server's clock.
    package var requestedAt: Instant
    /// The progress of the job.
    package var state: State
    /// The number of claims. A worker can change the job only while this equals the number of its claim.
    package var attempt: Int
    /// The finished share, from 0 to 1.
    package var progress: Double
    /// The path of the file that is being written; nil unless the job runs.
    package var currentFile: String?
    /// The number of rows that have been written.
    package var rowsDone: Int
    /// An estimate of the number of rows; nil before the job has started.
    package var rowsEstimated: Int?
    /// When the job ended, with any result; nil before.
    package var finishedAt: Instant?
    /// When the same dataset was last requested again.
    package var lastRequestedAt: Instant?
    /// The name under which the dataset is downloaded; nil unless the job is done.
    package var fileName: String?
    /// The size of the archive in bytes; nil unless the job is done.
    package var fileBytes: Int?
    /// SHA-256 in hexadecimal digits.
    package var fileDigest: String?
    /// The name of the snapshot.
    package var snapshot: String?
    /// The last change of the study that the file contains.
    package var changeSequence: Int64?
    /// Why the job failed, for researchers; nil unless it failed.
    package var failure: String?

    init(_ row: Row) throws {
        id = try row.id("export_id")
        study = try row.get("study")
        requestedBy = try row.id("requested_by")
        profile = try row.get("profile")
        filters = try JSONReader.read(row.get("filters", as: String.self))
        isBlinded = try row.get("blinded")
        requestedAt = try row.instant("requested_at")
        state = try row.value("state")
        attempt = try row.get("attempt")
        progress = try row.get("progress")
        currentFile = try row.getOptional("current_file")
        rowsDone = try row.get("rows_done")
        rowsEstimated = try row.getOptional("rows_estimated")
        finishedAt = try row.instantOptional("finished_at")
        lastRequestedAt = try row.instantOptional("wanted_at")
        fileName = try row.getOptional("file_name")
        fileBytes = try row.getOptional("file_bytes")
        fileDigest = try row.getOptional("file_sha256")
        snapshot = try row.getOptional("snapshot")
        changeSequence = try row.getOptional("change_seq")
        failure = try row.getOptional("failure")
    }
}

/// The request for a dataset.
package struct ExportRequest: Sendable {
    /// The id of the new job.
    package var id: ExportID
    /// The code of the study.
    package var study: String
    /// The account of the researcher.
    package var account: AccountID
    /// The raw value of a `DatasetProfile`.
    package var profile: String
    /// The body of the request.
    package var filters: JSON
    /// Whether letters replace the codes of arms.
    package var isBlinded: Bool
    /// Equal for requests of the same dataset.
    package var digest: String
    /// Identifies the state of the study, so that a finished dataset of the same state can be reused; nil if the state
    /// is unknown.
    package var tag: String?

    /// Creates a request that is not stored yet.
    package init(
        id: ExportID, study: String, account: AccountID, profile: String, filters: JSON,
        isBlinded: Bool = false,
        digest: String, tag: String?
    ) {
        self.id = id
        self.study = study
        self.account = account
        self.profile = profile
        self.filters = filters
        self.isBlinded = isBlinded
        self.digest = digest
        self.tag = tag
    }
}

/// The file of a finished job.
package struct ExportedFile: Sendable {
    /// The name of the file, without a folder.
    package var name: String
    /// The size in bytes.
    package var bytes: Int
    /// SHA-256 in lower-case hexadecimal digits.
    package var digest: String
    /// The number of rows of all tables.
    package var rows: Int
    /// The name of the snapshot, which identifies the data and the request.
    package var snapshot: String
    /// Identifies the state of the study that the file contains; nil if the state is unknown.
    package var tag: String?
    /// The last change of the study that the file contains; nil if the file shows an earlier state.
    package var changeSequence: Int64?

    /// Creates the description of a complete file.
    package init(
        name: String, bytes: Int, digest: String, rows: Int, snapshot: String, tag: String?,
        changeSequence: Int64?
    ) {
        self.name = name
        self.bytes = bytes
        self.digest = digest
        self.rows = rows
        self.snapshot = snapshot
        self.tag = tag
        self.changeSequence = changeSequence
    }
}
