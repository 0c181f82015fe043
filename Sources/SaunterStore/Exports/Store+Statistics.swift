import Postgres
import SaunterCore

/// What is known about the statistics of one questionnaire.
package struct StatisticsJobs: Sendable {
    /// A finished job with its result.
    package struct Result: Sendable {
        /// When the result was stored.
        package var computedAt: Instant
        /// The last change of the study that the result includes.
        package var changeSequence: Int64
        /// Identifies the state of the study; nil if it was unknown.
        package var tag: String?
        /// The JSON that the worker stored.
        package var json: JSON
    }

    /// A job without a result that is newer than the last result.
    package struct Pending: Sendable {
        /// `queued`, `running` or `failed`.
        package var state: ExportJob.State
        /// When the job was requested.
        package var requestedAt: Instant
        /// Why the job failed; nil unless it did.
        package var failure: String?
    }

    /// The last result; nil if there is none.
    package var result: Result?
    /// Nil if no job is newer than the result.
    package var pending: Pending?

    /// Nothing was requested yet.
    package init() {}
}

extension Store {
    /// The statistics of requests by their digests. A request that was never made is absent.
    package func listStatistics(
        of study: String, digests: [String]
    ) async throws -> [String: StatisticsJobs] {
        let rows = try await research.query(
            Statements.exports["list_statistics"],
            ["study": .text(study), "request_digests": .texts(digests)])
        var found: [String: StatisticsJobs] = [:]
        var resultRequestedAt: [String: Instant] = [:]
        for row in rows {
            let digest = try row.get("request_digest", as: String.self)
            let requestedAt = try row.instant("requested_at")
            let state: ExportJob.State = try row.value("state")
            if state == .done {
                resultRequestedAt[digest] = requestedAt
                found[digest, default: StatisticsJobs()].result = StatisticsJobs.Result(
                    computedAt: try row.instant("finished_at"), changeSequence: try row.get("change_seq"),
                    tag: try row.getOptional("snapshot_tag"),
                    json: try JSONReader.read(row.get("result", as: String.self)))
            } else {
                found[digest, default: StatisticsJobs()].pending = StatisticsJobs.Pending(
                    state: state, requestedAt: requestedAt, failure: try row.getOptional("failure"))
            }
        }
        for (digest, requestedAt) in resultRequestedAt {
            // A job that failed before the last result is over.
            if let pending = found[digest]?.pending, pending.requestedAt < requestedAt {
                found[digest]?.pending = nil
            }
        }
        return found
    }

    /// Records the result of statistics, deletes the earlier result of the same request, and writes the audit entry.
    /// - Returns: false if the job no longer belongs to this worker. Then nothing is written.
    package func finishStatistics(
        _ job: ExportJob, result: JSON, sheets: Int, tag: String?, changeSequence: Int64, audit: AuditEntry,
        now: Instant
    ) async throws -> Bool {
        try await research.write { transaction in
            let rows = try await transaction.query(
                Statements.exports["finish_statistics_job"],
                [
                    "export_id": .id(job.id), "attempt": .int(job.attempt), "now": .instant(now),
                    "result": .text(result.text), "sheets": .int8(Int64(sheets)), "snapshot_tag": .text(tag),
                    "change_seq": .int8(changeSequence),
                ])
            guard let row = try rows.oneOrNone() else { return false }
            _ = try await transaction.pipeline([
                (
                    Statements.exports["replace_statistics"],
                    [
                        "study": .text(try row.get("study", as: String.self)),
                        "request_digest": .text(try row.get("request_digest", as: String.self)),
                        "export_id": .id(job.id),
                    ]
                ), audit.call(at: now, secrets),
            ])
            return true
        }
    }

    /// What determines the statistics of a study, besides the request: the number of the last change, and the published
    /// versions with their digests. Nil if there is no such study.
    package func findStatisticsState(
        of study: String
    ) async throws -> (changeSequence: Int64, versions: String)? {
        try await research.query(Statements.exports["find_statistics_state"], ["study": .text(study)])
            .oneOrNone().map { (try $0.get("change_seq"), try $0.get("versions")) }
    }
}
