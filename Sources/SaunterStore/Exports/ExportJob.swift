import Postgres
import SaunterCore

/// A dataset that somebody asked for.
package struct ExportJob: Sendable {
    package enum State: String, Sendable, CaseIterable {
        case queued, running, done, failed
        /// Stopped before it was done.
        case cancelled
        /// Its time was over, and its file is gone.
        case expired
        /// Its file was taken away before that.
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
    /// How often it was begun; a worker's word counts only while this is what it was when it began.
    package var attempt: Int
    /// 0…1.
    package var progress: Double
    package var currentFile: String?
    package var rowsDone: Int
    /// About as many as there will be; nil before it has begun.
    package var rowsEstimated: Int?
    package var finishedAt: Instant?
    /// When somebody asked for the same again.
    package var wantedAt: Instant?
    package var fileName: String?
    package var fileBytes: Int?
    /// Hexadecimal.
    package var fileDigest: String?
    /// The snapshot's name.
    package var snapshot: String?
    /// The study's last change that is in the file.
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
        wantedAt = try row.instantOptional("wanted_at")
        fileName = try row.getOptional("file_name")
        fileBytes = try row.getOptional("file_bytes")
        fileDigest = try row.getOptional("file_sha256")
        snapshot = try row.getOptional("snapshot")
        changeSequence = try row.getOptional("change_seq")
        failure = try row.getOptional("failure")
    }
}

/// A dataset that is to be made.
package struct ExportOrder: Sendable {
    package var id: ExportID
    package var study: String
    package var account: AccountID
    package var profile: String
    /// The body of the request.
    package var filters: JSON
    /// The same for whoever asks for the same.
    package var digest: String
    /// The state of the study, by which it is known whether a finished dataset is as good; nil where that cannot be told.
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

/// A dataset that was made.
package struct ExportedFile: Sendable {
    package var name: String
    package var bytes: Int
    /// Lower-case hexadecimal.
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
