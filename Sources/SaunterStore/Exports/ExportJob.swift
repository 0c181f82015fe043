import Postgres
import SaunterCore

/// A job that makes a dataset.
package struct ExportJob: Sendable {
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

    package var id: ExportID
    package var study: String
    package var requestedBy: AccountID
    package var profile: String
    /// The body of the request.
    package var filters: JSON
    package var requestedAt: Instant
    package var state: State
    /// The number of claims. A worker can change the job only while this equals the number of its claim.
    package var attempt: Int
    /// The finished share, from 0 to 1.
    package var progress: Double
    package var currentFile: String?
    package var rowsDone: Int
    /// An estimate of the number of rows; nil before the job has started.
    package var rowsEstimated: Int?
    package var finishedAt: Instant?
    /// When the same dataset was last requested again.
    package var lastRequestedAt: Instant?
    package var fileName: String?
    package var fileBytes: Int?
    /// SHA-256 in hexadecimal digits.
    package var fileDigest: String?
    /// The name of the snapshot.
    package var snapshot: String?
    /// The last change of the study that the file contains.
    package var changeSequence: Int64?
    package var failure: String?

    init(_ row: Row) throws {
        id = try row.id("export_id")
        study = try row.get("study")
        requestedBy = try row.id("requested_by")
        profile = try row.get("profile")
        filters = try JSONReader.read(row.get("filters", as: String.self))
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
    package var id: ExportID
    package var study: String
    package var account: AccountID
    package var profile: String
    /// The body of the request.
    package var filters: JSON
    /// Equal for requests of the same dataset.
    package var digest: String
    /// Identifies the state of the study, so that a finished dataset of the same state can be reused; nil if the state
    /// is unknown.
    package var tag: String?

    package init(
        id: ExportID, study: String, account: AccountID, profile: String, filters: JSON, digest: String,
        tag: String?
    ) {
        self.id = id
        self.study = study
        self.account = account
        self.profile = profile
        self.filters = filters
        self.digest = digest
        self.tag = tag
    }
}

/// The file of a finished job.
package struct ExportedFile: Sendable {
    package var name: String
    package var bytes: Int
    /// SHA-256 in lower-case hexadecimal digits.
    package var digest: String
    package var rows: Int
    package var snapshot: String
    package var tag: String?
    package var changeSequence: Int64

    package init(
        name: String, bytes: Int, digest: String, rows: Int, snapshot: String, tag: String?,
        changeSequence: Int64
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
