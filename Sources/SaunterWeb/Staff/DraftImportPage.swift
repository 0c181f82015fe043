import HTTPTypes
import SaunterCore
import SaunterServer
import SaunterStore

/// The page that imports questionnaires of other formats into the draft of a study. It works without script.
struct DraftImportPage: Sendable {
    private static let formats = ["fhir", "redcap", "xlsform"]
    /// Empty: the questionnaires are not added to the study yet.
    private static let schedules = ["", "once", "daily", "weekly", "any_time"]
    /// How often a file is sent again because the draft was changed in the meantime.
    private static let attempts = 3
    /// The number of faults of the draft that the page shows. The page of the draft shows all.
    private static let shownFaults = 20

    let context: PageContext

    var form: Route {
        context.get("/staff/{study}/draft/import") { request in
            let study = try await Self.editedStudy(request)
            let draft = try await Self.draft(of: study, request)
            return try await page(study, draft, Form(), FormFaults(request.words), request)
        }
    }

    var send: Route {
        context.upload("/staff/{study}/draft/import", limit: BodyRule.questionnairesLimit + 64 * 1024) {
            request in
            let study = try await Self.editedStudy(request)
            let form = Form(request)
            var faults = FormFaults(request.words)
            form.check(&faults, request.words)
            guard faults.isEmpty, let file = form.file else {
                let draft = try await Self.draft(of: study, request)
                return try await page(study, draft, form, faults, request)
            }
            do {
                let (draft, result) = try await Self.import(file, form, study, request)
                return try await page(study, draft, Form(), faults, request, result: result)
            } catch let problem as Problem where [409, 412, 422].contains(problem.type.status) {
                let isStale = problem.type.status == 412
                faults.add(
                    request.words.text("draft_import", isStale ? "fault_changed" : "failed"), field: "file")
                let refused = problem.faults.isEmpty ? [problem.detail ?? ""] : problem.faults.map(\.detail)
                let draft = try await Self.draft(of: study, request)
                return try await page(
                    study, draft, form, faults, request, refused: isStale ? [] : refused)
            }
        }
    }

    // MARK: The draft

    /// The study of the page.
    /// - Throws: `not-found` if the visitor has no role in the study, and `not-permitted` without the role editor.
    private static func editedStudy(_ request: PageRequest) async throws -> String {
        let identity = try request.requireIdentity()
        let study = try request.path("study")
        guard identity.grant(.editor, study: study) != nil else {
            _ = try await request.get("/v1/studies/\(PageAddress.encodePart(study))/versions")
            throw Problem(.notPermitted)
        }
        return study
    }

    /// The draft; nil if the study has none.
    private static func draft(of study: String, _ request: PageRequest) async throws -> JSON? {
        do {
            return try await request.get(resource(study))
        } catch let problem as Problem where problem.type == .notFound {
            return nil
        }
    }

    private static func resource(_ study: String) -> String {
        "/v1/studies/\(PageAddress.encodePart(study))/draft"
    }

    /// Sends the file. An import keeps all other changes, so it is sent again if the draft has changed in the meantime.
    private static func `import`(
        _ file: UploadedFile, _ form: Form, _ study: String, _ request: PageRequest
    ) async throws -> (draft: JSON, result: JSON) {
        for attempt in 1...attempts {
            let draft = try await request.send(.get, resource(study))
            do {
                let reply = try await request.send(
                    .post, "\(resource(study))/questionnaires", query: form.query(file), file: file.bytes,
                    headers: [.contentType: "application/octet-stream", .ifMatch: draft.entityTag ?? "*"])
                return (draft.json, reply.json)
            } catch let problem as Problem
                where problem.type == .preconditionFailed && attempt < attempts
            {
                continue
            }
        }
        throw Problem(.preconditionFailed)
    }

    // MARK: The page

    private func page(
        _ study: String, _ draft: JSON?, _ form: Form, _ faults: FormFaults, _ request: PageRequest,
        result: JSON? = nil, refused: [String] = []
    ) async throws -> Reply {
        let words = request.words
        let address = "\(PageAddress.staff(study))/draft"
        var model = faults.model
        model["path"] = "\(address)/import"
        model["draft"] = address
        model["has_refused"] = !refused.isEmpty
        model["refused"] = refused
        if let result { model["result"] = Self.model(of: result, words) }
        if draft == nil {
            model["no_draft"] = true
        } else {
            model["form"] = form.model(words)
            model["of_draft"] = ["steps": DraftVisit.steps("import", of: DraftAddress(study: study), request)]
        }
        let frame = try await DraftVisit.frame(below: study, title: draft?["title"]?.string, request)
        return context.renderer.page(
            "staff_draft_import", title: words.text("draft_import", "title"), model, frame: frame,
            of: request, status: faults.status)
    }

    /// What the import added, what it left out, and the faults that the draft now has.
    private static func model(of result: JSON, _ words: Words.Language) -> [String: Any] {
        func text(_ name: String, _ values: [String: String] = [:]) -> String {
            words.text("draft_import", name, values)
        }
        let questionnaires = (result["questionnaires"]?.array ?? []).map { entry -> [String: Any] in
            let parts = [
                text(entry["is_new"]?.bool == true ? "is_new" : "is_known"),
                (entry["study"]?.string).flatMap { $0 == "none" ? nil : text("study_\($0)") },
                (entry["schedule"]?.string).flatMap { $0 == "none" ? nil : text("schedule_\($0)") },
            ]
            let count = entry["questions"]?.int ?? 0
            return [
                "name": "\(entry["code"]?.string ?? "") \(entry["version"]?.string ?? "")",
                "text":
                    ([text(count == 1 ? "one_question" : "questions", ["count": String(count)])]
                    + parts.compactMap { $0 }).joined(separator: ", "),
            ]
        }
        let remarks = (result["remarks"]?.array ?? []).map { remark in
            "\(remark["questionnaire"]?.string ?? ""), \(remark["place"]?.string ?? ""): "
                + (remark["detail"]?.string ?? "")
        }
        let faults = result["draft"]?["faults"]?.array ?? []
        let lines = faults.prefix(shownFaults).map { fault in
            "\(fault["file"]?.string ?? ""):\(fault["line"]?.int ?? 1): \(fault["message"]?.string ?? "")"
        }
        return [
            "title": text("imported"), "questionnaires": questionnaires,
            "has_remarks": !remarks.isEmpty, "remarks": remarks, "has_faults": !faults.isEmpty,
            "faults": lines,
            "faults_title": text(
                faults.count == 1 ? "one_fault" : "faults", ["count": String(faults.count)]),
        ]
    }

    /// The values of the form.
    private struct Form {
        var format = ""
        var schedule = ""
        var open = ""
        var close = ""
        var makesNextVersion = false
        var allowsFreeText = false
        var file: UploadedFile?

        /// The empty form.
        init() {}

        init(_ request: PageRequest) {
            let body = request.call.rawBody
            let type = request.call.headers[.contentType] ?? ""
            func field(_ name: String) -> String {
                let bytes = UploadedFile(field: name, in: body, contentType: type)?.bytes ?? []
                return bytes.count <= 100 ? String(decoding: bytes, as: UTF8.self) : ""
            }
            (format, schedule) = (field("format"), field("schedule"))
            (open, close) = (field("open"), field("close"))
            makesNextVersion = !field("existing").isEmpty
            allowsFreeText = !field("free_text").isEmpty
            file = UploadedFile(field: "file", in: body, contentType: type)
        }

        private var usesTimes: Bool { ["once", "daily", "weekly"].contains(schedule) }

        func check(_ faults: inout FormFaults, _ words: Words.Language) {
            if !formats.contains(format) {
                faults.add(words.text("draft_import", "fault_format"), field: "format")
            }
            if !schedules.contains(schedule) {
                faults.add(words.text("draft_import", "fault_schedule"), field: "schedule")
            }
            let isOptional = schedule == "once" && open.isEmpty && close.isEmpty
            for (name, value) in [("open", open), ("close", close)]
            where usesTimes && !isOptional && LocalTime(value) == nil {
                faults.add(words.text("draft_import", "fault_\(name)"), field: name)
            }
            if file?.bytes.isEmpty ?? true {
                faults.add(words.text("draft_import", "fault_file"), field: "file")
            }
        }

        /// The query of the route.
        func query(_ file: UploadedFile) -> String {
            var values = [("format", format)]
            if let name = file.name { values.append(("name", String(name.prefix(200)))) }
            if !schedule.isEmpty { values.append(("schedule", schedule)) }
            if usesTimes, !open.isEmpty { values += [("open", open), ("close", close)] }
            if makesNextVersion { values.append(("existing", "next_version")) }
            if allowsFreeText { values.append(("free_text", "true")) }
            return values.map { "\($0.0)=\(PageAddress.encode($0.1))" }.joined(separator: "&")
        }

        func model(_ words: Words.Language) -> [String: Any] {
            [
                "formats": formats.map { value -> [String: Any] in
                    [
                        "value": value, "title": words.text("draft_import", "format_\(value)"),
                        "hint": words.text("draft_import", "hint_\(value)"), "checked": value == format,
                    ]
                },
                "schedules": schedules.map { value -> [String: Any] in
                    [
                        "value": value, "checked": value == schedule,
                        "title": words.text("draft_import", value.isEmpty ? "ask_later" : "ask_\(value)"),
                    ]
                },
                "open": open, "close": close, "existing": makesNextVersion, "free_text": allowsFreeText,
            ]
        }
    }
}
