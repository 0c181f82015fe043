import SaunterCore
import SaunterStore

/// A job as it is told.
enum ExportWire {
    static func json(_ job: ExportJob, _ desk: ExportDesk) -> JSON {
        [
            "export_id": .id(job.id), "study": .string(job.study), "profile": .string(job.profile),
            "state": .string(job.state.rawValue), "progress": .double(job.progress),
            "current_file": .optional(job.currentFile, JSON.string), "rows_done": .int(job.rowsDone),
            "rows_estimated": .optional(job.rowsEstimated, JSON.int),
            "requested_by": .id(job.requestedBy), "requested_at": .instant(job.requestedAt),
            "finished_at": .instant(job.finishedAt), "expires_at": .instant(desk.expiry(of: job)),
            "snapshot": .optional(job.snapshot, JSON.string),
            "change_seq": .optional(job.changeSequence) { .int(Int($0)) },
            "file_name": .optional(job.fileName, JSON.string), "bytes": .optional(job.fileBytes, JSON.int),
            "sha256": .optional(job.fileDigest, JSON.string), "failure": .optional(job.failure, JSON.string),
        ]
    }

    static let schema = Schema.named(
        "Export",
        .object([
            .required("export_id", .id), .required("study", .string()), .required("profile", .string()),
            .required("state", .string(values: ExportJob.State.allCases.map(\.rawValue))),
            .required("progress", .number(min: 0, max: 1)),
            .required("current_file", .nullable(.string()), "The table that is being written."),
            .required("rows_done", .integer(min: 0)),
            .required(
                "rows_estimated", .nullable(.integer(min: 0)), "Once it is begun; exact when it is done."),
            .required("requested_by", .id, "The account that asked first."),
            .required("requested_at", .instant), .required("finished_at", .nullable(.instant)),
            .required("expires_at", .nullable(.instant), "Until when the file is kept."),
            .required("snapshot", .nullable(.string()), "The same for the same bytes."),
            .required(
                "change_seq", .nullable(.integer(min: 0)),
                "The study's last change that is in it; the feed of changes goes on after it."),
            .required("file_name", .nullable(.string())), .required("bytes", .nullable(.integer(min: 0))),
            .required("sha256", .nullable(.string())), .required("failure", .nullable(.string())),
        ]))
}
