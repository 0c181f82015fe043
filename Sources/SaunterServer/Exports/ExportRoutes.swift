import Foundation
import HTTPTypes
import NIOCore
import SaunterCore
import SaunterEvaluation
import SaunterStore

/// Datasets for researchers: asked for, made in the background, fetched with ranges.
struct ExportRoutes: Sendable {
    let context: ServerContext

    var create: Route {
        Route(
            .post, "/v1/studies/{study}/exports", who: .researcher, tag: "Datasets",
            summary: "Ask for a dataset",
            description: """
                It is made in the background; the address in Location tells how far it is. Any profile may be asked for that \
                tells no more than `coded`; `full` takes a permission of its own. `public` is of the whole study: no dates, no arms.
                """,
            parameters: [.study],
            body: .json(
                .named(
                    "ExportRequest",
                    .object([
                        .required("profile", .string(values: DatasetProfile.allCases.map(\.rawValue))),
                        .optional("from", .string(format: .date), "First local date."),
                        .optional("to", .string(format: .date), "Last local date."),
                        .optional(
                            "questionnaires", .array(of: .string(minLength: 1, maxLength: 24), max: 100)),
                        .optional("arms", .array(of: .string(minLength: 1, maxLength: 40), max: 100)),
                        .optional(
                            "formats",
                            .array(of: .string(values: DatasetFormat.allCases.map(\.rawValue)), max: 10),
                            "Forms of every table beside the canonical CSV."),
                    ])), example: ["profile": "coded"]),
            outcomes: [
                .json(
                    .accepted, "Queued.", Self.schema,
                    headers: [("Location", "Where the export's state is read.")])
            ]
        ) { call in
            let study = try call.text("study")
            guard try await context.store.findStudy(study) != nil else { throw Problem(.notFound) }
            let id = ExportID(UUID())
            let profile = call.body["profile"]?.string.flatMap { DatasetProfile(rawValue: $0) } ?? .coded
            try Self.check(profile, call.caller, study)
            if let fault = DatasetFilters(call.body).fault(with: profile) {
                throw Problem(.requestInvalid, fault.description)
            }
            try await context.store.insertExport(
                id, study: study, by: call.caller.account, profile: profile.rawValue, filters: call.body,
                audit: AuditEntry(
                    actor: .account(call.caller.account), action: "export_requested", study: study,
                    requestID: call.requestID, detail: ["export_id": .id(id), "filters": call.body]),
                now: call.now)
            let job = try await find(id, study)
            return .json(
                .accepted, json(job),
                headers: [.location: "\(context.configuration.publicURL)/v1/studies/\(study)/exports/\(id)"])
        }
    }

    var get: Route {
        Route(
            .get, "/v1/studies/{study}/exports/{export}", who: .researcher, tag: "Datasets",
            summary: "How far a dataset is", parameters: [.study, .uuid("export", "The export.")],
            outcomes: [.json(.ok, "Its state.", Self.schema)]
        ) { call in
            let job = try await find(try call.id("export"), try call.text("study"))
            try Self.check(job, call.caller)
            return .json(.ok, json(job))
        }
    }

    var file: Route {
        Route(
            .get, "/v1/studies/{study}/exports/{export}/file", who: .researcher, tag: "Datasets",
            summary: "Fetch a dataset",
            description: """
                A zip with its length, digest and entity tag. A download that was cut goes on with Range. Files are kept for a day.
                """,
            parameters: [.study, .uuid("export", "The export.")],
            outcomes: [
                .file(
                    .ok, "The whole file.", contentType: "application/zip",
                    headers: [("Repr-Digest", "SHA-256 of the whole file (RFC 9530)."), Outcome.entityTag]),
                .file(.partialContent, "The part that Range names.", contentType: "application/zip"),
            ], problems: [.rangeNotSatisfiable]
        ) { call in
            let job = try await find(try call.id("export"), try call.text("study"))
            try Self.check(job, call.caller)
            guard job.state != .queued, job.state != .running else {
                throw Problem(.busy, "This dataset is being made.", retryAfter: 2)
            }
            guard job.state == .done, let length = job.fileBytes, let name = job.fileName,
                let digest = job.fileDigest
            else { throw Problem(.notFound, "This dataset is \(job.state.rawValue).") }
            let path = context.exports.file(of: job.id).path(percentEncoded: false)
            guard FileManager.default.fileExists(atPath: path) else {
                throw Problem(
                    .notFound,
                    "This dataset was made by another server, or its file is gone; ask for it again.")
            }
            let tag = EntityTag(digest)
            var headers: HTTPFields = [
                .acceptRanges: "bytes", .contentDisposition: "attachment; filename=\"\(name)\"",
                HTTPField.Name("Repr-Digest")!: "sha-256=:\(Self.base64(hexadecimal: digest)):",
                .contentType: "application/zip",
            ]
            let condition = call.headers[HTTPField.Name("If-Range")!]
            let wanted = condition == nil || condition == tag.description ? call.headers[.range] : nil
            switch ByteRange(wanted, length: length) {
            case .whole: return Self.reply(.ok, headers, path, 0..<length, tag)
            case .part(let range):
                headers[.contentRange] = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(length)"
                return Self.reply(.partialContent, headers, path, range, tag)
            case .unsatisfiable:
                throw Problem(
                    .rangeNotSatisfiable, "The file has \(length) bytes.",
                    headers: [.contentRange: "bytes */\(length)"])
            }
        }
    }

    private static func reply(
        _ status: HTTPResponse.Status, _ headers: HTTPFields, _ path: String, _ range: Range<Int>,
        _ tag: EntityTag
    ) -> Reply {
        Reply(
            status: status, headers: headers,
            body: .stream(length: range.count) { writer in
                let file = try FileHandle(forReadingFrom: URL(filePath: path))
                defer { try? file.close() }  // A file that was only read has nothing to lose.
                try file.seek(toOffset: UInt64(range.lowerBound))
                var rest = range.count
                while rest > 0 {
                    guard let piece = try file.read(upToCount: min(rest, 256 * 1024)), !piece.isEmpty else {
                        throw Problem(.internalError)
                    }
                    rest -= piece.count
                    try await writer.write(ByteBuffer(bytes: piece))
                }
            }, entityTag: tag)
    }

    /// Refuses what tells more than any grant of this study allows.
    private static func check(_ profile: DatasetProfile, _ caller: Identity, _ study: String) throws(Problem)
    {
        let isFull = caller.grants.contains { grant in
            grant.study == study && grant.role != .admin && grant.fullExport
        }
        let right: DatasetProfile = isFull ? .full : .coded
        guard right.allows(profile) else {
            throw Problem(
                .notPermitted, "The profile \(profile.rawValue) takes a permission that this account lacks.")
        }
    }

    /// A dataset that somebody else asked for is no way around one's own right.
    private static func check(_ job: ExportJob, _ caller: Identity) throws(Problem) {
        guard let profile = DatasetProfile(rawValue: job.profile) else { throw Problem(.notFound) }
        try check(profile, caller, job.study)
    }

    private func find(_ id: ExportID, _ study: String) async throws -> ExportJob {
        guard let job = try await context.store.findExport(id, study: study) else { throw Problem(.notFound) }
        return job
    }

    private func json(_ job: ExportJob) -> JSON {
        [
            "export_id": .id(job.id), "study": .string(job.study), "profile": .string(job.profile),
            "state": .string(job.state.rawValue), "progress": .double(job.progress),
            "requested_at": .instant(job.requestedAt), "finished_at": .instant(job.finishedAt),
            "file_name": .optional(job.fileName, JSON.string), "bytes": .optional(job.fileBytes, JSON.int),
            "sha256": .optional(job.fileDigest, JSON.string), "failure": .optional(job.failure, JSON.string),
        ]
    }

    private static func base64(hexadecimal text: String) -> String {
        let digits = Array(text)
        let bytes = stride(from: 0, to: digits.count - 1, by: 2).compactMap {
            UInt8(String(digits[$0...$0 + 1]), radix: 16)
        }
        return Data(bytes).base64EncodedString()
    }

    static let schema = Schema.named(
        "Export",
        .object([
            .required("export_id", .id), .required("study", .string()), .required("profile", .string()),
            .required("state", .string(values: ExportJob.State.allCases.map(\.rawValue))),
            .required("progress", .number(min: 0, max: 1)), .required("requested_at", .instant),
            .required("finished_at", .nullable(.instant)), .required("file_name", .nullable(.string())),
            .required("bytes", .nullable(.integer(min: 0))), .required("sha256", .nullable(.string())),
            .required("failure", .nullable(.string())),
        ]))
}
