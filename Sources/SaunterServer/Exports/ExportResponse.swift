import SaunterCore
import SaunterStore

/// The response body for an export job.
enum ExportResponse {
    static func json(_ job: ExportJob, _ service: ExportService) -> JSON {
        [
            "export_id": .id(job.id), "study": .string(job.study), "profile": .string(job.profile),
            "state": .string(job.state.rawValue), "progress": .double(job.progress),
            "current_file": .optional(job.currentFile, JSON.string), "rows_done": .int(job.rowsDone),
            "rows_estimated": .optional(job.rowsEstimated, JSON.int),
            "requested_by": .id(job.requestedBy), "requested_at": .instant(job.requestedAt),
            "finished_at": .instant(job.finishedAt), "expires_at": .instant(service.expiry(of: job)),
            "snapshot": .optional(job.snapshot, JSON.string),
            "change_seq": .optional(job.changeSequence) { .int(Int($0)) },
            "file_name": .optional(job.fileName, JSON.string), "bytes": .optional(job.fileBytes, JSON.int),
            "sha256": .optional(job.fileDigest, JSON.string), "failure": .optional(job.failure, JSON.string),
        ]
    }

    static let schema = Schema.named(
        "Export",
        .object([
            .required("export_id", .id, "The id of the export."),
            .required("study", .string(), "The code of the study."),
            .required("profile", .string(), "How the data are protected."),
            .required(
                "state", .string(values: ExportJob.State.allCases.map(\.rawValue)),
                "The state of the export. `done` means that its file can be downloaded."),
            .required("progress", .number(min: 0, max: 1), "The completed share, 0 to 1."),
            .required("current_file", .nullable(.string()), "The table that the server is writing."),
            .required("rows_done", .integer(min: 0), "The number of rows that are written."),
            .required(
                "rows_estimated", .nullable(.integer(min: 0)),
                "The number of rows; null until the job runs, exact when it is done."),
            .required("requested_by", .id, "The account that requested the dataset first."),
            .required("requested_at", .instant, "When the dataset was requested."),
            .required("finished_at", .nullable(.instant), "When the export ended; null until then."),
            .required("expires_at", .nullable(.instant), "When the server deletes the file."),
            .required(
                "snapshot", .nullable(.string()),
                "The identifier of the content. Datasets with the same bytes have the same snapshot."),
            .required(
                "change_seq", .nullable(.integer(min: 0)),
                "The last change of the study that the dataset contains. Continue in the change feed after it. Null if the dataset shows an earlier state."
            ),
            .required(
                "file_name", .nullable(.string()), "The name of the zip file; null until it is complete."),
            .required(
                "bytes", .nullable(.integer(min: 0)),
                "The size of the zip file in bytes; null until it is complete."),
            .required(
                "sha256", .nullable(.string()),
                "The SHA-256 of the zip file in hexadecimal digits; null until it is complete."),
            .required("failure", .nullable(.string()), "Why the export failed; null if it did not."),
        ]))
}
