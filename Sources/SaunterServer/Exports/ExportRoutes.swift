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
                It is made in the background; the address in Location tells how far it is. Asking for what was made already, while nothing has \
                changed in the study, makes nothing: the answer is 200 with the finished dataset. Any profile may be asked for that \
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
                    .ok, "It is there already, and nothing has changed since.", ExportWire.schema,
                    headers: [("Location", "Where the export's state is read.")]),
                .json(
                    .accepted, "Queued, or being made for somebody who asked the same.", ExportWire.schema,
                    headers: [("Location", "Where the export's state is read.")]),
            ]
        ) { call in
            let study = try call.text("study")
            guard try await context.store.findStudy(study) != nil else { throw Problem(.notFound) }
            let request = DatasetRequest(study: study, body: call.body)
            try Self.check(request.profile, call.caller, study)
            if let fault = request.filters.fault(with: request.profile) {
                throw Problem(.requestInvalid, fault.description)
            }
            let order = ExportOrder(
                id: ExportID(UUID()), study: study, account: call.caller.account,
                profile: request.profile.rawValue, filters: call.body, digest: request.digest,
                tag: try await context.exports.tag(of: request, now: call.now))
            if let job = try await alike(order) {
                try await context.store.wantExport(
                    job.id, audit: Self.audit(job.id, call, isAgain: true), now: call.now)
                return try await reply(job.state == .done ? .ok : .accepted, job.id, study)
            }
            guard
                try await context.store.insertExport(
                    order, audit: Self.audit(order.id, call, isAgain: false), now: call.now)
            else {
                throw Problem(
                    .tooManyRequests, "Too many datasets of this study wait already.", retryAfter: 60)
            }
            return try await reply(.accepted, order.id, study)
        }
    }

    /// A job that answers the same as well as a new one would: it waits yet, or nothing has changed since it was begun.
    private func alike(_ order: ExportOrder) async throws -> ExportJob? {
        try await context.store.listExports(alike: order).first {
            $0.state != .done || context.exports.folder.has($0.id)
        }
    }

    private func reply(_ status: HTTPResponse.Status, _ id: ExportID, _ study: String) async throws -> Reply {
        .json(
            status, ExportWire.json(try await find(id, study), context.exports),
            headers: [.location: "\(context.configuration.publicURL)/v1/studies/\(study)/exports/\(id)"])
    }

    private static func audit(_ id: ExportID, _ call: Call<Identity>, isAgain: Bool) throws -> AuditEntry {
        AuditEntry(
            actor: .account(call.caller.account), action: "export_requested", study: try call.text("study"),
            requestID: call.requestID,
            detail: ["export_id": .id(id), "filters": call.body, "again": .bool(isAgain)])
    }

    var get: Route {
        Route(
            .get, "/v1/studies/{study}/exports/{export}", who: .researcher, tag: "Datasets",
            summary: "How far a dataset is",
            description: """
                progress is of the whole; rows_estimated is told once it is begun, and is about right. Its entity tag changes with its state, so \
                that asking again costs little.
                """,
            parameters: [.study, .uuid("export", "The export.")],
            outcomes: [.json(.ok, "Its state.", ExportWire.schema, headers: [Outcome.entityTag])]
        ) { call in
            let job = try await find(try call.id("export"), try call.text("study"))
            try Self.check(job, call.caller)
            let body = ExportWire.json(job, context.exports)
            return .json(.ok, body, entityTag: EntityTag(of: body))
        }
    }

    var delete: Route {
        Route(
            .delete, "/v1/studies/{study}/exports/{export}", who: .researcher, tag: "Datasets",
            summary: "Stop making a dataset, or take its file away",
            description: """
                One that waits or is being made is cancelled; of one that is done the file is deleted, and its state goes on telling of it. Doing it again \
                changes nothing. Whoever may have the dataset may do it.
                """,
            parameters: [.study, .uuid("export", "The export.")],
            outcomes: [.empty(.noContent, "It is not made, and its file is gone.")]
        ) { call in
            let (id, study): (ExportID, String) = (try call.id("export"), try call.text("study"))
            try Self.check(try await find(id, study), call.caller)
            _ = try await context.store.endExport(id, study: study, now: call.now) { state in
                AuditEntry(
                    actor: .account(call.caller.account), action: "export_\(state.rawValue)", study: study,
                    requestID: call.requestID, detail: ["export_id": .id(id)])
            }
            try context.exports.folder.remove { $0 == "\(id).zip" }
            return .noContent
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
            let path = context.exports.folder.file(of: job.id).path(percentEncoded: false)
            // Opened now, so that a file that is taken away meanwhile is still sent whole.
            guard let file = ExportFile(path, length: length) else {
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
            case .whole: return Self.reply(.ok, headers, file, 0..<length, tag)
            case .part(let range):
                headers[.contentRange] = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(length)"
                return Self.reply(.partialContent, headers, file, range, tag)
            case .unsatisfiable:
                throw Problem(
                    .rangeNotSatisfiable, "The file has \(length) bytes.",
                    headers: [.contentRange: "bytes */\(length)"])
            }
        }
    }

    private static func reply(
        _ status: HTTPResponse.Status, _ headers: HTTPFields, _ file: ExportFile, _ range: Range<Int>,
        _ tag: EntityTag
    ) -> Reply {
        Reply(
            status: status, headers: headers,
            body: .stream(length: range.count) { writer in
                try await file.forEachPiece(of: range) { try await writer.write($0) }
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

    private static func base64(hexadecimal text: String) -> String {
        let digits = Array(text)
        let bytes = stride(from: 0, to: digits.count - 1, by: 2).compactMap {
            UInt8(String(digits[$0...$0 + 1]), radix: 16)
        }
        return Data(bytes).base64EncodedString()
    }
}
