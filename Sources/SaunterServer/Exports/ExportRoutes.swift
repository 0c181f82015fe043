import Foundation
import HTTPTypes
import NIOCore
import SaunterCore
import SaunterEvaluation
import SaunterStore

/// Routes to request a dataset, follow its progress, and download its file.
struct ExportRoutes: Sendable {
    let context: ServerContext

    var create: Route {
        Route(
            .post, "/v1/studies/{study}/exports", who: .researcher, tag: "Datasets",
            summary: "Request a dataset",
            description: """
                The server makes the dataset in the background. The URL in Location returns its state. If the same \
                dataset exists and the study has not changed since, the server makes nothing and answers 200 with the \
                finished dataset. Every researcher of the study can request the profiles `coded`, `deidentified` and \
                `public`. The profile `full` requires an additional permission. The profile `public` covers the whole \
                study and accepts no dates, no arms and no `as_of`. In a browser session, `coded` and `full` need a \
                password that was entered within 10 minutes (`POST /v1/session/confirmation`).

                With `as_of` the dataset shows an earlier state: what had happened and had been received by that \
                instant. To get the data of an earlier dataset again, send the `as_of` of its manifest. The \
                manifest lists what cannot be restored, because it was overwritten or erased.

                In a blinded study, arms are letters for callers who may not see arms, also in `arms` of the request. \
                The files of the study pack are left out. A dataset with the codes of arms does not exist for them.
                """,
            parameters: [.study],
            body: .json(ExportResponse.requestSchema, example: ["profile": "coded"]),
            outcomes: [
                .json(
                    .ok, "The dataset exists, and the study has not changed since.", ExportResponse.schema,
                    headers: [("Location", "The URL that returns the state of the export.")]),
                .json(
                    .accepted, "The dataset is queued, or the server is making it for an identical request.",
                    ExportResponse.schema,
                    headers: [("Location", "The URL that returns the state of the export.")]),
            ]
        ) { call in
            let study = try call.text("study")
            guard try await context.store.findStudy(study) != nil else { throw Problem(.notFound) }
            let request = DatasetRequest(
                study: study, body: call.body,
                isBlinded: try await context.armView(of: study, for: call.caller).isBlinded)
            try Self.check(request.profile, call.caller, study)
            if Self.needsPassword(request.profile) {
                try call.caller.requireConfirmedPassword(at: call.now)
            }
            if let fault = request.filters.fault(with: request.profile, asOf: request.asOf) {
                throw Problem(
                    .requestInvalid, fault.description, faults: Self.faults(of: fault, in: call.body))
            }
            if let asOf = request.asOf, asOf > call.now {
                throw Problem(
                    .bodyInvalid,
                    Faults([
                        Fault(pointer: "/as_of", code: "in_future", detail: "The instant is in the future.")
                    ]))
            }
            let exportRequest = ExportRequest(
                id: ExportID(UUID()), study: study, account: call.caller.account,
                profile: request.profile.rawValue, filters: call.body, isBlinded: request.isBlinded,
                digest: request.digest,
                tag: try await context.exports.tag(of: request, now: call.now))
            if let job = try await findEquivalentJob(exportRequest) {
                try await context.store.renewExport(
                    job.id, audit: Self.audit(job.id, call, isRepeat: true), now: call.now)
                return try await reply(job.state == .done ? .ok : .accepted, job.id, study)
            }
            guard
                try await context.store.insertExport(
                    exportRequest, audit: Self.audit(exportRequest.id, call, isRepeat: false), now: call.now)
            else {
                throw Problem(
                    .tooManyRequests, "Too many datasets of this study are already queued.", retryAfter: 60)
            }
            return try await reply(.accepted, exportRequest.id, study)
        }
    }

    /// The members of the body that contradict each other.
    private static func faults(of fault: DatasetFault, in body: JSON) -> [Fault] {
        func faults(_ members: [String], _ code: String) -> [Fault] {
            members.filter { body[$0] != nil }
                .map { Fault(pointer: "/\($0)", code: code, detail: fault.description) }
        }
        return switch fault {
        case .reversedDates: faults(["to"], "before_from")
        case .filteredProfile: faults(["from", "to", "arms"], "not_with_profile")
        case .pastProfile: faults(["as_of"], "not_with_profile")
        default: []
        }
    }

    /// A job for the same dataset: one that is not done yet, or a finished one whose file this server has and whose
    /// study has not changed since.
    private func findEquivalentJob(_ exportRequest: ExportRequest) async throws -> ExportJob? {
        try await context.store.listExports(equivalentTo: exportRequest).first {
            $0.state != .done || context.exports.folder.has($0.id)
        }
    }

    private func reply(_ status: HTTPResponse.Status, _ id: ExportID, _ study: String) async throws -> Reply {
        .json(
            status, ExportResponse.json(try await find(id, study), context.exports),
            headers: [.location: "\(context.configuration.publicURL)/v1/studies/\(study)/exports/\(id)"])
    }

    private static func audit(_ id: ExportID, _ call: Call<Identity>, isRepeat: Bool) throws -> AuditEntry {
        AuditEntry(
            actor: .account(call.caller.account), action: "export_requested", study: try call.text("study"),
            requestID: call.requestID,
            detail: ["export_id": .id(id), "filters": call.body, "again": .bool(isRepeat)])
    }

    var list: Route {
        Route(
            .get, "/v1/studies/{study}/exports", who: .researcher, tag: "Datasets",
            summary: "List the datasets of the study",
            description: """
                The newest one first, also those that ended without a file. The list contains only datasets that the \
                caller can download: of a profile that the caller can request, and without the codes of arms if they \
                are hidden from the caller. `profiles` and `arms` are what the caller can request.
                """,
            parameters: [.study], query: [.limit, .cursor],
            outcomes: [
                .json(.ok, "The datasets.", .page(of: ExportResponse.schema, ExportResponse.choices))
            ]
        ) { call in
            guard let live = try await context.catalogue.findLive(call.text("study")) else {
                throw Problem(.notFound)
            }
            let study = live.published.study
            let view = try await context.armView(of: study.code, for: call.caller)
            let permitted = Self.permitted(call.caller, study.code)
            let position = try call.listPosition()
            let found = try await context.store.listExports(
                of: study.code,
                profiles: DatasetProfile.allCases.filter { permitted.allows($0) }.map(\.rawValue),
                seesCodes: !view.isBlinded, after: position.map { ($0.moment, ExportID($0.id)) },
                limit: call.pageLimit + 1)
            let page = found.prefix(call.pageLimit)
            let next = found.count > page.count ? page.last : nil
            return .page(
                page.map { ExportResponse.json($0, context.exports) },
                next: next.map { ListPosition(moment: $0.requestedAt, id: $0.id.uuid).cursor },
                path: "/v1/studies/\(study.code)/exports", query: call.pageQuery,
                publicURL: context.configuration.publicURL,
                more: [
                    "profiles": .array(
                        DatasetProfile.allCases.map { profile in
                            [
                                "profile": .string(profile.rawValue),
                                "allowed": .bool(permitted.allows(profile)),
                                "measures": .array(
                                    profile.measures(isBlinded: view.isBlinded).map(JSON.string)),
                                "needs_password": .bool(Self.needsPassword(profile)),
                            ]
                        }),
                    "arms": .array(view.names(of: study).map(JSON.string)),
                ])
        }
    }

    var get: Route {
        Route(
            .get, "/v1/studies/{study}/exports/{export}", who: .reader, tag: "Datasets",
            summary: "Get the state of a dataset",
            description: """
                `progress` covers the whole job. `rows_estimated` is set once the job runs, and is approximate until \
                the job is done. The entity tag changes with the state, so that a repeated request with If-None-Match \
                is cheap. An API token can read datasets of its profile and of those with less data.
                """,
            parameters: [.study, .uuid("export", "The id of the export.")],
            outcomes: [
                .json(.ok, "The state of the export.", ExportResponse.schema, headers: [Outcome.entityTag])
            ]
        ) { call in
            let job = try await find(try call.id("export"), try call.text("study"))
            try await check(job, call.caller)
            try await context.audit.record(
                Self.audit("data_read", ["route": "GET /v1/studies/{study}/exports/{export}"], job, call),
                at: call.now)
            let body = ExportResponse.json(job, context.exports)
            return .json(.ok, body, entityTag: EntityTag(of: body))
        }
    }

    var delete: Route {
        Route(
            .delete, "/v1/studies/{study}/exports/{export}", who: .researcher, tag: "Datasets",
            summary: "Cancel an export or delete its file",
            description: """
                Cancels an export that is queued or running. Deletes the file of an export that is done; its state \
                stays readable. Repeating the request changes nothing. Every account that can download the dataset can \
                use this route.
                """,
            parameters: [.study, .uuid("export", "The id of the export.")],
            outcomes: [.empty(.noContent, "The export has ended, and its file does not exist.")]
        ) { call in
            let (id, study): (ExportID, String) = (try call.id("export"), try call.text("study"))
            try await check(try await find(id, study), call.caller)
            _ = try await context.store.cancelOrDeleteExport(id, study: study, now: call.now) { state in
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
            .get, "/v1/studies/{study}/exports/{export}/file", who: .reader, tag: "Datasets",
            summary: "Download a dataset",
            description: """
                Returns the dataset as a zip file. The headers state its length, digest and entity tag. A client can \
                resume an interrupted download with Range. The server deletes the file at `expires_at`, one day after \
                the dataset was finished or last requested. An API token can read datasets of its profile and of those \
                with less data.
                """,
            parameters: [.study, .uuid("export", "The id of the export.")],
            outcomes: [
                .file(
                    .ok, "The whole file.", contentType: "application/zip",
                    headers: [("Repr-Digest", "SHA-256 of the whole file (RFC 9530)."), Outcome.entityTag]),
                .file(
                    .partialContent, "The part of the file that Range names.", contentType: "application/zip"),
            ], problems: [.rangeNotSatisfiable]
        ) { call in
            let job = try await find(try call.id("export"), try call.text("study"))
            try await check(job, call.caller)
            guard job.state != .queued, job.state != .running else {
                throw Problem(.busy, "The server is still making this dataset.", retryAfter: 2)
            }
            guard job.state == .done, let length = job.fileBytes, let name = job.fileName,
                let digest = job.fileDigest
            else { throw Problem(.notFound, "This dataset is \(job.state.rawValue).") }
            let path = context.exports.folder.file(of: job.id).path(percentEncoded: false)
            // The file is opened before the response begins, so that it is sent completely even if it is deleted.
            guard let file = ExportFile(path, length: length) else {
                throw Problem(
                    .notFound,
                    "Another server made this dataset, or its file no longer exists. Request the dataset again."
                )
            }
            try await context.audit.record(
                Self.audit(
                    "export_downloaded", ["export_id": .id(job.id), "profile": .string(job.profile)], job,
                    call),
                at: call.now)
            let tag = EntityTag(digest)
            var headers: HTTPFields = [
                .acceptRanges: "bytes", .contentDisposition: "attachment; filename=\"\(name)\"",
                HTTPField.Name("Repr-Digest")!: "sha-256=:\(Self.base64(hexadecimal: digest)):",
                .contentType: "application/zip",
            ]
            switch ByteRange(of: call.headers, tag: tag, length: length) {
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
                try await file.forEachChunk(of: range) { try await writer.write($0) }
            }, entityTag: tag)
    }

    /// The audit entry of reading a dataset. It names the API token, if the caller sent one.
    private static func audit(
        _ action: String, _ detail: JSONObject, _ job: ExportJob, _ call: Call<Identity>
    ) -> AuditEntry {
        var detail = detail
        if let token = call.caller.apiToken { detail["token_id"] = .id(token) }
        return AuditEntry(
            actor: .account(call.caller.account), action: action, study: job.study,
            requestID: call.requestID, detail: detail)
    }

    /// Whether a browser session needs a recently entered password to request the profile.
    private static func needsPassword(_ profile: DatasetProfile) -> Bool {
        profile == .coded || profile == .full
    }

    /// The profile with the most data that the grants of the caller in this study allow.
    private static func permitted(_ caller: Identity, _ study: String) -> DatasetProfile {
        let isFull = caller.grants.contains { grant in
            grant.study == study && grant.role.readsAnswers && grant.fullExport
        }
        return isFull ? .full : .coded
    }

    /// Requires that a grant of the caller in this study allows the profile.
    /// - Throws: `Problem` of type `not-permitted`.
    private static func check(_ profile: DatasetProfile, _ caller: Identity, _ study: String) throws(Problem)
    {
        guard permitted(caller, study).allows(profile) else {
            throw Problem(
                .notPermitted,
                "The profile \(profile.rawValue) requires a permission that this account does not have.")
        }
    }

    /// Requires that the caller has the permission for an existing export, which another account may have requested.
    /// - Throws: `Problem` of type `not-permitted`, or `not-found` if this server does not know the profile, or if the
    ///   dataset has the codes of arms and the caller may not see them.
    private func check(_ job: ExportJob, _ caller: Identity) async throws {
        guard let profile = DatasetProfile(rawValue: job.profile) else { throw Problem(.notFound) }
        try Self.check(profile, caller, job.study)
        guard job.isBlinded else {
            guard try await !context.armView(of: job.study, for: caller).isBlinded else {
                throw Problem(.notFound)
            }
            return
        }
    }

    private func find(_ id: ExportID, _ study: String) async throws -> ExportJob {
        guard let job = try await context.store.findExport(id, study: study) else { throw Problem(.notFound) }
        return job
    }

    private static func base64(hexadecimal text: String) -> String {
        Data(Hex.decode(text.utf8) ?? []).base64EncodedString()
    }
}
