import Crypto
import Foundation
import HTTPTypes
import SaunterCore
import SaunterServer

/// The page of one file of a draft: the editor of a text, or a picture. It works without script.
struct DraftFilePage: Sendable {
    let context: PageContext

    /// The page of a file. A path that the draft does not have is a new file.
    var file: Route {
        context.get("/staff/{study}/draft/file", query: ["path", "line", "notice"]) { request in
            let visit = try await DraftVisit(request)
            let path = (request.call.query("path") ?? "").trimmingCharacters(in: .whitespaces)
            guard !path.isEmpty else { return PageRenderer.redirect(visit.address.page) }
            return page(path, visit, try await Self.find(path, visit), FormFaults(request.words))
        }
    }

    /// A file of the draft; nil if the draft does not have it, or cannot have it. The route that saves it reports the
    /// latter.
    private static func find(_ path: String, _ visit: DraftVisit) async throws -> DraftFile? {
        do {
            return DraftFile(
                try await visit.request.get(
                    "\(visit.address.resource)/file", query: DraftAddress.query(path: path)))
        } catch let problem as Problem where [.notFound, .requestInvalid].contains(problem.type) {
            return nil
        }
    }

    // MARK: Save

    /// Saves the text of a file. If another editor changed the file in the meantime, the page shows both texts.
    var save: Route {
        context.post(
            "/staff/{study}/draft/file", limit: DraftLimits.textForm, maximumLength: DraftLimits.textLength
        ) { request in
            try await DraftForm.handle(request, context.renderer) { form in try await saved(&form) }
        }
    }

    /// What was typed in a form of a draft, as a file. It is not stored.
    var typed: Route {
        context.post(
            "/staff/{study}/draft/typed", limit: DraftLimits.textForm, maximumLength: DraftLimits.textLength
        ) { request in
            try await FormAgain.keep(request, context.renderer) {
                _ = try request.requireIdentity()
                let fields = FormAgain.typedFields(request)
                let isFile = request.call.body["text"] != nil
                let text =
                    isFile
                    ? fields[0].value
                    : fields.map { "\($0.label)\n\($0.value)\n" }.joined(separator: "\n")
                let name = Self.fileName(isFile ? request.field("path") : "")
                return .bytes(
                    Array(text.utf8), contentType: "text/plain; charset=utf-8",
                    headers: [.contentDisposition: "attachment; filename=\"\(name)\""])
            }
        }
    }

    /// The last part of a path in characters that every system accepts.
    static func fileName(_ path: String) -> String {
        let name = (path.split(separator: "/").last ?? "").filter {
            $0.isASCII && ($0.isLetter || $0.isNumber || ".-_".contains($0))
        }.drop { $0 == "." }
        return name.isEmpty ? "draft.txt" : String(name.suffix(100))
    }

    private func saved(_ form: inout DraftForm) async throws -> Reply {
        let request = form.visit.request
        let path = request.field("path")
        var typed = TypedText(request)
        var isStale = false
        var isSent = false
        let reply = try await form.save(at: "text") { form in
            if isSent {
                let found = try await Self.find(path, form.visit)
                guard DraftFile.digest(found?.text) == typed.digest else {
                    let fault = found == nil ? "fault_file_removed" : "fault_file_changed"
                    form.faults.add(request.words.text("draft", fault), field: "text")
                    isStale = true
                    return nil
                }
                // Only other files changed.
                typed.revision = form.visit.view.revision
            }
            isSent = true
            try await request.send(
                .put, "\(form.visit.address.resource)/file", query: DraftAddress.query(path: path),
                ["text": .string(typed.text)], headers: DraftAddress.headers(revision: typed.revision))
            return "\(form.visit.address.file(path))&notice=saved"
        }
        if let reply { return reply }
        let found = try await Self.find(path, form.visit)
        return page(path, form.visit, found, form.faults, typed: typed, isStale: isStale)
    }

    /// Adds a file of any kind, such as a picture.
    var upload: Route {
        context.upload("/staff/{study}/draft/file/upload", limit: DraftLimits.mediaForm) { request in
            let visit = try await DraftVisit(request)
            try visit.requireEditor()
            var path = UploadedFile.text("path", in: request).trimmingCharacters(in: .whitespaces)
            let revision = UploadedFile.number("revision", in: request)
            var faults = FormFaults(request.words)
            let type = request.call.headers[.contentType] ?? ""
            let file = UploadedFile(field: "file", in: request.call.rawBody, contentType: type)
            // A folder is completed with the name of the file.
            if path.hasSuffix("/"), let name = file?.fullName { path += Self.fileName(name) }
            if path.isEmpty { faults.add(request.words.text("draft", "fault_path"), field: "path") }
            guard let file, !file.bytes.isEmpty, !path.isEmpty else {
                if file?.bytes.isEmpty ?? true {
                    faults.add(request.words.text("draft", "fault_choose_file"), field: "file")
                }
                return uploadPage(path, visit, faults)
            }
            do {
                var headers = DraftAddress.headers(revision: revision)
                headers[.contentType] = "application/octet-stream"
                try await request.send(
                    .put, "\(visit.address.resource)/file", query: DraftAddress.query(path: path),
                    file: file.bytes, headers: headers)
                return PageRenderer.redirect("\(visit.address.file(path))&notice=saved")
            } catch let problem as Problem where problem.type.status == 412 {
                faults.add(request.words.text("draft", "fault_upload_changed"), field: "file")
            } catch let problem as Problem where [400, 413, 415, 422].contains(problem.type.status) {
                for detail in problem.lines { faults.add(detail, field: "file") }
            }
            return uploadPage(path, visit, faults)
        }
    }

    /// The form that adds a file of any kind.
    var uploadForm: Route {
        context.get("/staff/{study}/draft/file/upload", query: ["path"]) { request in
            let visit = try await DraftVisit(request)
            try visit.requireEditor()
            let path = request.call.query("path") ?? "studies/\(visit.study)/media/"
            return uploadPage(path, visit, FormFaults(request.words))
        }
    }

    private func uploadPage(_ path: String, _ visit: DraftVisit, _ faults: FormFaults) -> Reply {
        var model = faults.model
        model["path"] = path
        model["address"] = visit.address.page("file/upload")
        model["revision"] = String(visit.view.revision)
        return context.renderer.page(
            "staff_draft_upload", title: visit.request.words.text("draft", "add_file"), model,
            frame: visit.frame(isBelow: true), of: visit.request, status: faults.status)
    }

    /// The bytes of a picture, sound or film. The API decides who may see the draft, and what is a media file.
    var media: Route {
        context.get("/staff/{study}/draft/file/media", query: ["path"]) { request in
            _ = try request.requireIdentity()
            let address = DraftAddress(study: try request.path("study"))
            let path = request.call.query("path") ?? ""
            let file = try await request.get(
                "\(address.resource)/file", query: DraftAddress.query(path: path))
            guard DraftFile(file).isShown, let type = file["media_type"]?.string,
                let bytes = try await context.server.draftMedia(path, of: address.study)
            else { throw Problem(.notFound) }
            return try .file(
                bytes, contentType: type,
                // A browser that opens the file itself runs nothing in it.
                headers: [
                    .cacheControl: "private, no-cache", .contentSecurityPolicy: "default-src 'none'; sandbox",
                ], request: request.call.headers)
        }
    }

    // MARK: Delete

    var delete: Route {
        context.post("/staff/{study}/draft/file/delete") { request in
            let visit = try await DraftVisit(request)
            try visit.requireEditor()
            let path = request.field("path")
            do {
                try await request.send(
                    .delete, "\(visit.address.resource)/file", query: DraftAddress.query(path: path),
                    headers: DraftAddress.headers(revision: Int(request.field("revision")) ?? 0))
            } catch let problem as Problem where problem.type.status == 412 {
                var faults = FormFaults(request.words)
                faults.add(request.words.text("draft", "fault_delete_changed"), field: "delete")
                return page(path, visit, try await Self.find(path, visit), faults)
            }
            return PageRenderer.redirect("\(visit.address.page)?notice=deleted")
        }
    }

    // MARK: The page

    /// - Parameters:
    ///   - typed: what the visitor sent; nil for the text of the draft.
    ///   - isStale: whether another editor changed the file in the meantime.
    private func page(
        _ path: String, _ visit: DraftVisit, _ file: DraftFile?, _ faults: FormFaults,
        typed: TypedText? = nil, isStale: Bool = false
    ) -> Reply {
        let request = visit.request
        let text = typed?.text ?? file?.text
        let line = Int(request.call.query("line") ?? "")
        // Only a visitor who saw the newest text replaces it.
        let base: (revision: Int, digest: String)
        if let typed, !isStale {
            base = (typed.revision, typed.digest)
        } else {
            base = (visit.view.revision, DraftFile.digest(file?.text))
        }
        var model = faults.model
        let found = (file?.faults ?? []).map { DraftView.line($0, visit.address) }
        for (name, value) in [
            "path": path, "address": visit.address.page("file"), "revision": String(base.revision),
            "digest": base.digest, "found": found, "has_found": !found.isEmpty,
            "steps": visit.steps("file"), "exists": file != nil,
        ] as [String: Any] { model[name] = value }
        if visit.isEditor { model["editor"] = true }
        if let file, file.text == nil {
            model["media"] = [
                "picture": file.isShown && file.kind == .image ? visit.address.media(path) : nil,
                "sound": file.isShown && file.kind == .audio ? visit.address.media(path) : nil,
                "film": file.isShown && file.kind == .video ? visit.address.media(path) : nil,
                "upload": "\(visit.address.page("file/upload"))?path=\(PageAddress.encode(path))",
                "size": ExportView.size(file.bytes, request.words),
            ].compactMapValues { $0 }
        } else {
            model["text"] = ["value": text ?? "", "line": line.map { String($0) } ?? ""]
        }
        if let line, let text { model["excerpt"] = Self.excerpt(of: text, around: line) }
        if isStale, let typed {
            model["stale"] =
                [
                    "now": file?.text ?? "", "has_now": file != nil,
                    "lines": DifferenceView.lines(from: file?.text ?? "", to: typed.text, request.words),
                ] as [String: Any]
        }
        if request.call.query("notice") == "saved" {
            model["notice"] = request.words.text(
                "draft", found.isEmpty ? "notice_file_saved" : "notice_file_saved_faults")
        }
        var frame = visit.frame(isBelow: true)
        frame.modules.append("editor")
        return context.renderer.page(
            "staff_draft_file", title: path, model, frame: frame, of: request, status: faults.status)
    }

    /// A line with those before and after it, for visitors without script.
    static func excerpt(of text: String, around line: Int) -> [String: Any]? {
        let lines = DraftValuesForm.plain(text).split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.indices.contains(line - 1) else { return nil }
        let shown = max(0, line - 3)...min(lines.count - 1, line + 1)
        return [
            "line": String(line),
            "lines": shown.map { index -> [String: Any] in
                ["number": String(index + 1), "text": String(lines[index]), "marked": index == line - 1]
            },
        ]
    }
}

/// A file of `GET …/draft/file`.
struct DraftFile {
    /// The text; nil for a picture or another file of a folder `media`.
    let text: String?
    let bytes: Int
    let faults: [JSON]
    /// What a media file contains; nil for another file.
    let kind: MediaFormat.Kind?
    /// Whether the page shows the media file. It loads no large one; the draft only refers to it.
    let isShown: Bool

    init(_ json: JSON) {
        text = json["text"]?.string
        bytes = json["bytes"]?.int ?? 0
        faults = json["faults"]?.array ?? []
        let type = json["media_type"]?.string
        kind = MediaFormat.allCases.first { $0.mediaType == type }?.kind
        isShown = kind != nil && bytes <= 1 << 20
    }

    /// Identifies the text from which a form began. Line ends do not matter, because a browser changes them.
    static func digest(_ text: String?) -> String {
        guard let text else { return "" }
        return Hex.encode(SHA256.hash(data: Data(DraftValuesForm.plain(text).utf8)))
    }
}

/// What the form of a file sent.
private struct TypedText {
    let text: String
    /// The digest of the text from which the form began; empty for a new file.
    let digest: String
    var revision: Int

    init(_ request: PageRequest) {
        text = DraftValuesForm.plain(request.field("text"))
        digest = request.field("digest")
        revision = Int(request.field("revision")) ?? 0
    }
}
