import SaunterCore
import SaunterEvaluation
import SaunterStore

/// The response body for an export job.
enum ExportResponse {
    static func json(_ job: ExportJob, _ service: ExportService) -> JSON {
        [
            "export_id": .id(job.id), "study": .string(job.study), "profile": .string(job.profile),
            "request": job.filters,
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

    /// What a caller can request: members of the list of datasets.
    static let choices: [Schema.Member] = [
        .required(
            "profiles",
            .array(
                of: .object([
                    .required(
                        "profile", .string(values: DatasetProfile.allCases.map(\.rawValue)),
                        "How the data are protected."),
                    .required("allowed", .boolean, "Whether the caller can request the profile."),
                    .required(
                        "measures", .array(of: .string()),
                        """
                        What the profile does to the data, in English. The manifest of a dataset can list further \
                        measures, which concern only some studies.
                        """),
                    .required(
                        "needs_password", .boolean,
                        "Whether a browser session needs a password that was entered within 10 minutes."),
                ])), "All profiles."),
        .required("arms", .array(of: .string()), "The arms of the live version of the study."),
    ]

    /// The body of a request for a dataset.
    static let requestSchema = Schema.named(
        "ExportRequest",
        .object([
            .required(
                "profile", .string(values: DatasetProfile.allCases.map(\.rawValue)),
                "How the data are protected."),
            .optional("from", .string(format: .date), "The first local date to include."),
            .optional("to", .string(format: .date), "The last local date to include."),
            .optional(
                "questionnaires", .array(of: .string(minLength: 1, maxLength: 24), max: 100),
                "Only these questionnaires. Without it the dataset contains all."),
            .optional(
                "arms", .array(of: .string(minLength: 1, maxLength: 40), max: 100),
                "Only participants of these arms. Without it the dataset contains all."),
            .optional(
                "formats",
                .array(of: .string(values: DatasetFormat.allCases.map(\.rawValue)), max: 10),
                "File formats for every table, in addition to the canonical CSV."),
            .optional(
                "language", .string(format: .language),
                "The language of labels. By default the first language of the study."),
            .optional(
                "as_of", .instant,
                "The instant whose state the dataset shows, not in the future. By default the present."
            ),
        ]))

    static let schema = Schema.named(
        "Export",
        .object([
            .required("export_id", .id, "The id of the export."),
            .required("study", .string(), "The code of the study."),
            .required("profile", .string(), "How the data are protected."),
            .required("request", requestSchema, "The body with which the dataset was requested first."),
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
