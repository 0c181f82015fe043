import Foundation
import HTTPTypes
import SaunterCore
import SaunterExchange
import SaunterPacks
import SaunterStore

/// The routes for drafts: creating a study, starting and discarding a draft, and its files.
struct DraftRoutes: Sendable {
    let context: ServerContext

    /// The largest accepted archive: 72 MiB.
    private static let archiveLimit = 72 << 20
    private static let version = PathParameter.text(
        "version", "A published version of the study.", example: "1.0.0")

    var create: Route {
        Route(
            .post, "/v1/staff/studies", who: .staff, tag: "Drafts", summary: "Create a study",
            description: """
                Needs the role editor in any study, or admin. The study begins as a draft with one questionnaire, \
                asked every evening. The caller becomes its editor, researcher and coordinator, and sees its arms. \
                Participants can join after the draft is published.
                """,
            body: .json(Self.newStudySchema, example: Self.newStudyExample),
            outcomes: [
                .json(
                    .created, "The study exists as a draft.",
                    .named(
                        "NewStudyReceipt",
                        .object([.required("study", .string(format: .code), "The code of the study.")])))
            ],
            problems: [.studyTaken, .notPermitted]
        ) { call in
            guard call.caller.has(.editor) else {
                throw Problem(.notPermitted, "Only an editor of a study, or an admin, creates studies.")
            }
            let values = try Self.newStudy(call.body)
            do {
                try await context.store.createStudy(
                    values.study, files: values.files(), by: call.caller.account,
                    requestID: call.requestID, now: call.now)
            } catch is StudyCodeTaken {
                throw Problem(.studyTaken)
            } catch let fault as YAMLEditFault {
                throw Fault(pointer: "/title", code: "not_a_value", detail: fault.message)
            }
            return .json(.created, ["study": .string(values.study)])
        }
    }

    var get: Route {
        Route(
            .get, "/v1/studies/{study}/draft", who: .member, tag: "Drafts",
            summary: "Read the state of the draft",
            description: """
                Lists the files and every fault with file and line. A caller who may not see the arms of a blinded \
                study gets 403, because a pack shows them.
                """,
            parameters: [.study],
            outcomes: [.json(.ok, "The draft.", DraftResponse.schema, headers: [Outcome.entityTag])],
            problems: [.armsBlinded]
        ) { call in
            try await reply(context.fetchDraft(call), call)
        }
    }

    var start: Route {
        Route(
            .post, "/v1/studies/{study}/draft", who: .editor, tag: "Drafts", summary: "Start a draft",
            description: """
                The draft has the files of a published version, by default the live one, with the library of the live \
                edition. All editors of the study share it.
                """,
            parameters: [.study],
            body: .json(
                .named(
                    "DraftStart",
                    .object([
                        .optional(
                            "version", .string(minLength: 1, maxLength: 32),
                            "The version from which the draft begins. Default: the live version.")
                    ])), example: ["version": "1.0.0"], isRequired: false),
            outcomes: [.json(.created, "The new draft.", DraftResponse.schema, headers: [Outcome.entityTag])],
            problems: [.draftExists, .armsBlinded]
        ) { call in
            let study = try call.text("study")
            try await context.requireFiles(of: study, for: call.caller)
            guard let live = try await context.store.findStudy(study)?.liveVersion else {
                throw Problem(.notFound, "The study has no published version.")
            }
            let version = call.body["version"]?.string ?? live
            let edition = try await context.store.findLiveEdition(of: study)
            guard let pack = try await context.findPack(of: study, version: version, edition: edition) else {
                throw Problem(.notFound, "The study has no such version.")
            }
            do {
                let draft = try await context.store.saveDraft(
                    pack.files, of: study, basedOn: version, edition: edition, expecting: nil,
                    by: call.caller.account, requestID: call.requestID, now: call.now)
                return try await reply(draft, call, status: .created)
            } catch is StudyDraftFault {
                throw Problem(.draftExists)
            }
        }
    }

    var delete: Route {
        Route(
            .delete, "/v1/studies/{study}/draft", who: .editor, tag: "Drafts", summary: "Discard the draft",
            description: """
                Needs If-Match. In a browser session the password must have been entered within 10 minutes \
                (`POST /v1/session/confirmation`). Published versions are not affected.
                """,
            parameters: [.study], outcomes: [.empty(.noContent, "The study has no draft.")],
            problems: [.preconditionRequired, .preconditionFailed, .armsBlinded]
        ) { call in
            try call.caller.requireConfirmedPassword(at: call.now)
            let draft = try await context.fetchDraft(call)
            try call.requireMatch(draft.tag)
            do {
                try await context.store.deleteDraft(
                    of: draft.study, expecting: draft.revision, by: call.caller.account,
                    requestID: call.requestID, now: call.now)
            } catch let fault as StudyDraftFault {
                throw Problem(fault)
            }
            return .noContent
        }
    }

    var outline: Route {
        Route(
            .get, "/v1/studies/{study}/draft/outline", who: .member, tag: "Drafts",
            summary: "List the words and schedules of the draft",
            description: """
                For forms. Values have the file and the JSON Pointer with which \
                `PUT /v1/studies/{study}/draft/values` changes them. Files that cannot be read are left out.
                """,
            parameters: [.study], outcomes: [.json(.ok, "The outline.", DraftOutline.schema)],
            problems: [.armsBlinded]
        ) { call in
            let draft = try await context.fetchDraft(call)
            return .json(.ok, try await context.work.run { DraftOutline(draft).json })
        }
    }

    // MARK: - Packs

    var downloadDraft: Route {
        Route(
            .get, "/v1/studies/{study}/draft/pack", who: .member, tag: "Drafts",
            summary: "Download the files of the draft",
            description: "After unpacking, `saunter check` accepts the folder.",
            parameters: [.study], outcomes: [.file(.ok, "The files.", contentType: "application/zip")],
            problems: [.armsBlinded]
        ) { call in
            let draft = try await context.fetchDraft(call)
            return try await download(draft.pack, "\(draft.study)-draft")
        }
    }

    var downloadVersion: Route {
        Route(
            .get, "/v1/studies/{study}/versions/{version}/pack", who: .member, tag: "Drafts",
            summary: "Download the files of a published version",
            description: """
                With the library of the live edition. After unpacking, `saunter check` accepts the folder. A caller \
                who may not see the arms of a blinded study gets 403, because a pack shows them.
                """,
            parameters: [.study, Self.version],
            outcomes: [.file(.ok, "The files.", contentType: "application/zip")], problems: [.armsBlinded]
        ) { call in
            let (study, version) = (try call.text("study"), try call.text("version"))
            try await context.requireFiles(of: study, for: call.caller)
            guard let pack = try await context.findPack(of: study, version: version) else {
                throw Problem(.notFound)
            }
            return try await download(pack, "\(study)-\(version)")
        }
    }

    private func download(_ pack: PackFiles, _ name: String) async throws -> Reply {
        let headers: HTTPFields = [.contentDisposition: "attachment; filename=\"\(name).zip\""]
        guard pack.references.isEmpty else {
            let store = context.store
            return .stream(contentType: "application/zip", headers: headers) { writer in
                try await DraftFile.write(pack, in: name, from: store, to: &writer)
            }
        }
        return .bytes(
            try await context.work.run { try DraftFile.archive(pack, in: name) },
            contentType: "application/zip", headers: headers)
    }

    var upload: Route {
        Route(
            .put, "/v1/studies/{study}/draft/pack", who: .editor, tag: "Drafts",
            summary: "Replace all files of the draft",
            description: """
                The archive contains a folder of packs (`studies/<code>` and `instruments/<code>/<version>`), or the \
                folder of the study with its `instruments`, at any depth. Hidden files are ignored. The unpacked files \
                have at most 32 MiB, and each at most 1 MiB. Pictures, sounds and films in `library/media` can have up \
                to 64 MiB; those of more than 1 MiB have at most 96 MiB together. The content of each is checked as in a \
                single upload. Needs If-Match.
                """,
            parameters: [.study], body: .file(["application/zip"], limit: Self.archiveLimit),
            outcomes: [.json(.ok, "The changed draft.", DraftResponse.schema, headers: [Outcome.entityTag])],
            problems: [.draftInvalid, .preconditionRequired, .preconditionFailed, .armsBlinded]
        ) { call in
            let draft = try await context.fetchDraft(call)
            try call.requireMatch(draft.tag)
            let archive = try await context.work.run {
                do throws(PackFaults) {
                    return try PackArchive(call.rawBody, study: draft.study)
                } catch {
                    throw Problem(draft: error.list)
                }
            }
            for (path, bytes) in archive.media.sorted(by: { $0.key < $1.key }) {
                guard let media = archive.files.reference(at: path) else { continue }
                _ = try await context.saveMedia(media, [UInt8](bytes), of: draft.study, now: call.now)
            }
            return try await reply(context.save(archive.files, as: draft, call), call)
        }
    }

    // MARK: - Single files and values

    var getFile: Route {
        Route(
            .get, "/v1/studies/{study}/draft/file", who: .member, tag: "Drafts",
            summary: "Read one file of the draft",
            parameters: [.study], query: [DraftFile.path],
            outcomes: [.json(.ok, "The file.", DraftFile.schema, headers: [Outcome.entityTag])],
            problems: [.armsBlinded]
        ) { call in
            let path = try DraftFile.path(call)
            let draft = try await context.fetchDraft(call)
            guard let content = draft.files[path] else {
                throw Problem(.notFound, "The draft has no such file.")
            }
            let faults = try await context.check(draft).faults.filter { $0.file == path }
            let json: JSON = [
                "path": .string(path), "text": PackPath.isMedia(path) ? .null : .string(content),
                "media_type": .string(DraftFile.mediaType(path)), "bytes": .int(draft.pack.byteCount(path)),
                "revision": .int(draft.revision), "faults": .array(faults.map(\.json)),
            ]
            return .json(.ok, json, entityTag: EntityTag(draft.tag, of: json))
        }
    }

    var putFile: Route {
        Route(
            .put, "/v1/studies/{study}/draft/file", who: .editor, tag: "Drafts",
            summary: "Write one file of the draft",
            description: """
                A text is a JSON object `{"text": …}`, or its bytes in UTF-8. A file in a folder `media` is sent as \
                bytes: a PNG, JPEG or WebP picture of at most 40 million pixels, an MP3, Ogg, WAV or M4A sound, or an \
                MP4 or WebM film. Its content must fit the ending of its name, otherwise the response is 415. It has at \
                most 64 MiB in `library/media`, and 1 MiB elsewhere. A file of `POST /v1/studies/{study}/media` is \
                named by `{"sha256": …}`. Other faults of the content do not prevent saving. Needs If-Match.
                """,
            parameters: [.study], query: [DraftFile.path],
            body: .file(["application/octet-stream", "application/json"], limit: ContentMedia.maximumBytes),
            outcomes: [.json(.ok, "The changed draft.", DraftResponse.schema, headers: [Outcome.entityTag])],
            problems: [.draftInvalid, .preconditionRequired, .preconditionFailed, .armsBlinded]
        ) { call in
            let path = try DraftFile.path(call)
            let draft = try await context.fetchDraft(call)
            try call.requireMatch(draft.tag)
            var files = draft.files
            files[path] = try await DraftFile.content(of: path, context, call)
            return try await reply(context.save(PackFiles(files: files), as: draft, call), call)
        }
    }

    var deleteFile: Route {
        Route(
            .delete, "/v1/studies/{study}/draft/file", who: .editor, tag: "Drafts",
            summary: "Delete one file of the draft", description: "Needs If-Match.", parameters: [.study],
            query: [DraftFile.path],
            outcomes: [.json(.ok, "The changed draft.", DraftResponse.schema, headers: [Outcome.entityTag])],
            problems: [.preconditionRequired, .preconditionFailed, .armsBlinded]
        ) { call in
            let path = try DraftFile.path(call)
            let draft = try await context.fetchDraft(call)
            try call.requireMatch(draft.tag)
            var files = draft.files
            guard files.removeValue(forKey: path) != nil else {
                throw Problem(.notFound, "The draft has no such file.")
            }
            return try await reply(context.save(PackFiles(files: files), as: draft, call), call)
        }
    }

    var putValues: Route {
        Route(
            .put, "/v1/studies/{study}/draft/values", who: .editor, tag: "Drafts",
            summary: "Change single values in YAML files of the draft",
            description: """
                All other lines stay as they are, with their comments. A missing key of a mapping is added. A list of \
                single values is sent with all its elements; those that stay keep their comments. If one change is not \
                possible, nothing is stored. Needs If-Match.
                """,
            parameters: [.study],
            body: .json(DraftValues.schema, limit: 1 << 20, example: DraftValues.example),
            outcomes: [.json(.ok, "The changed draft.", DraftResponse.schema, headers: [Outcome.entityTag])],
            problems: [.draftInvalid, .preconditionRequired, .preconditionFailed, .armsBlinded]
        ) { call in
            let draft = try await context.fetchDraft(call)
            try call.requireMatch(draft.tag)
            let files = try await context.work.run { try DraftValues.apply(call.body, to: draft) }
            return try await reply(context.save(files, as: draft, call), call)
        }
    }

    private func reply(
        _ draft: StudyDraft, _ call: Call<Identity>, status: HTTPResponse.Status = .ok
    ) async throws -> Reply {
        let language = context.language(
            call.headers[.acceptLanguage], of: draft.languages, fallback: draft.languages.first ?? "en")
        return try await DraftResponse(draft, context, language: language).reply(status)
    }

    // MARK: - A new study

    private static func newStudy(_ body: JSON) throws -> NewStudyValues {
        var faults: [Fault] = []
        let study = body["study"]?.string ?? ""
        if !PackPath.isStudyCode(study) {
            faults.append(
                Fault(
                    pointer: "/study", code: "not_a_value",
                    detail: "It must be lower-case letters, digits and hyphens, and begin with a letter."))
        }
        let title = body["title"]?.string ?? ""
        let language = body["language"]?.string ?? ""
        if !PackPath.isLanguage(language) {
            faults.append(
                Fault(
                    pointer: "/language", code: "not_a_value",
                    detail: "It must be a language such as en or de."))
        }
        guard faults.isEmpty, let zone = body["time_zone"]?.string.flatMap({ Zone($0) }),
            let days = body["days"]?.int
        else { throw Faults(faults) }
        return NewStudyValues(study: study, title: title, language: language, zone: zone, days: days)
    }

    private static let newStudyExample: JSON = [
        "study": "sleep-diary", "title": "Sleep diary", "language": "en", "time_zone": "Europe/Berlin",
        "days": 14,
    ]

    private static let newStudySchema = Schema.named(
        "NewStudy",
        .object([
            .required(
                "study", .string(minLength: 1, maxLength: 40, format: .code),
                "The code: lower-case letters, digits and hyphens. It cannot be changed later."),
            .required(
                "title", .string(minLength: 1, maxLength: 200, format: .line), "The title for participants."),
            .required(
                "language", .string(minLength: 2, maxLength: 35, format: .language),
                "The first language, such as de. The first texts are German for de, and otherwise English."),
            .required("time_zone", .zone, "Used if the time zone of a participant is unknown."),
            .required(
                "days", .integer(min: 1, max: NewStudyValues.maximumDays),
                "The number of days with a questionnaire."),
        ]))
}
