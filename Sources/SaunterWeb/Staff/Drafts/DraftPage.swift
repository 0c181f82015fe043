import HTTPTypes
import SaunterCore
import SaunterServer
import SaunterStore

/// The page with the state of a study's draft: its faults and files, and the forms that start, replace and discard it.
struct DraftPage: Sendable {
    /// What the page reports after a form.
    private static let notices = ["created", "started", "uploaded", "deleted", "saved", "changed"]

    let context: PageContext

    var draft: Route {
        context.get("/staff/{study}/draft", query: ["notice", "from"]) { request in
            _ = try request.requireIdentity()
            let address = DraftAddress(study: try request.path("study"))
            do {
                return try await page(DraftVisit(request), FormFaults(request.words))
            } catch let problem as Problem where problem.type == .notFound {
                return try await startPage(address, FormFaults(request.words), request)
            }
        }
    }

    private func page(_ visit: DraftVisit, _ faults: FormFaults) -> Reply {
        let request = visit.request
        var model = visit.view.model(isEditor: visit.isEditor, now: request.call.now)
        for (name, value) in faults.model { model[name] = value }
        model["path"] = visit.address.page
        model["steps"] = visit.steps("")
        let hasJourneys = visit.view.hasFile("studies/\(visit.study)/library/programmes.yaml")
        if hasJourneys || visit.isEditor {
            model["journeys"] = [
                "page": JourneysPage.address(visit.address),
                "link": request.words.text("journeys", hasJourneys ? "link" : "begin"),
            ]
        }
        // A published study has its team in the menu.
        if visit.view.basedOn == nil, request.identity?.grant(.coordinator, study: visit.study) != nil {
            model["team"] = StaffStudyPage.roles.address(visit.study)
        }
        if let notice = request.call.query("notice"), Self.notices.contains(notice) {
            model["notice"] = request.words.text("draft", "notice_\(notice)")
        }
        return context.renderer.page(
            "staff_draft", title: request.words.text("draft", "title"), model,
            frame: visit.frame(isBelow: false), of: request, status: faults.status)
    }

    // MARK: Without a draft

    /// The page of a study that has no draft. An editor can start one.
    private func startPage(
        _ address: DraftAddress, _ faults: FormFaults, _ request: PageRequest
    ) async throws -> Reply {
        let study = StaffStudyView(
            try await StaffStudyView.item(of: address.study, request), request.words)
        let asked = request.field("version")
        let version = asked.isEmpty ? request.call.query("from") ?? "" : asked
        var model = faults.model
        model["path"] = address.page
        model["version"] = version
        model["from"] = request.words.text(
            "draft", "start_from", ["version": version.isEmpty ? study.version : version])
        if DraftVisit.isEditor(of: address.study, request) { model["editor"] = true }
        return context.renderer.page(
            "staff_draft_start", title: request.words.text("draft", "title"), model,
            frame: DraftVisit.frame(
                address, title: study.title, study, isBelow: false, request),
            of: request, status: faults.status)
    }

    /// Starts a draft from a published version.
    var start: Route {
        context.post("/staff/{study}/draft") { request in
            _ = try request.requireIdentity()
            let address = DraftAddress(study: try request.path("study"))
            let version = request.field("version").filter { !$0.isWhitespace }
            do {
                try await request.send(
                    .post, address.resource, version.isEmpty ? [:] : ["version": .string(version)])
                return PageRenderer.redirect("\(address.page)?notice=started")
            } catch let problem as Problem where problem.type.status == 409 {
                // Another editor was faster. The page shows that draft.
                return PageRenderer.redirect("\(address.page)?notice=changed")
            } catch let problem as Problem where [404, 422].contains(problem.type.status) {
                var faults = FormFaults(request.words)
                faults.add(request.words.text("draft", "fault_version"), field: nil)
                return try await startPage(address, faults, request)
            }
        }
    }

    // MARK: All files

    /// Replaces all files by those of a zip file.
    var upload: Route {
        context.upload("/staff/{study}/draft/pack", limit: DraftLimits.packForm) { request in
            let visit = try await DraftVisit(request)
            try visit.requireEditor()
            var faults = FormFaults(request.words)
            let type = request.call.headers[.contentType] ?? ""
            guard let file = UploadedFile(field: "pack", in: request.call.rawBody, contentType: type),
                !file.bytes.isEmpty
            else {
                faults.add(request.words.text("draft", "fault_choose"), field: "pack")
                return page(visit, faults)
            }
            let revision = UploadedFile.number("revision", in: request)
            do {
                var headers = DraftAddress.headers(revision: revision)
                headers[.contentType] = "application/zip"
                try await request.send(
                    .put, "\(visit.address.resource)/pack", file: file.bytes, headers: headers)
                return PageRenderer.redirect("\(visit.address.page)?notice=uploaded")
            } catch let problem as Problem where problem.type.status == 412 {
                faults.add(request.words.text("draft", "fault_upload_changed"), field: "pack")
            } catch let problem as Problem where [413, 422].contains(problem.type.status) {
                for detail in problem.lines { faults.add(detail, field: "pack") }
            }
            return page(visit, faults)
        }
    }

    // MARK: Discard

    /// Discards the draft after the question of the page.
    var discard: Route {
        context.post("/staff/{study}/draft/discard") { request in
            let visit = try await DraftVisit(request)
            try visit.requireEditor()
            let revision = Int(request.field("revision")) ?? 0
            do {
                try await request.send(
                    .delete, visit.address.resource, headers: DraftAddress.headers(revision: revision))
            } catch let problem as Problem where problem.type == .passwordRequired {
                return PageRenderer.redirect(StaffLoginPage.address(next: visit.address.page))
            } catch let problem as Problem where problem.type.status == 412 {
                var faults = FormFaults(request.words)
                faults.add(request.words.text("draft", "fault_discard_changed"), field: "discard")
                return page(visit, faults)
            }
            // A study that was never published ends with its draft.
            return PageRenderer.redirect(
                visit.view.basedOn == nil ? "/staff" : PageAddress.staff(visit.study))
        }
    }
}

/// The limits of forms with contents of a draft.
enum DraftLimits {
    /// A form with the text of a file. The text has up to 1 MiB, and the encoding of a form makes a sign up to three
    /// times as long, and a line end six times.
    static let textForm = 7 << 20
    /// The signs of one field of such a form.
    static let textLength = (1 << 20) + 1024
    /// A form with a file, such as a zip file of all files.
    static let packForm = 73 << 20
    /// A form with a picture, a sound or a film.
    static let mediaForm = 65 << 20
}

extension Problem {
    /// The faults in the words of the server; the detail if there is none.
    var lines: [String] { faults.isEmpty ? [detail ?? type.title] : faults.map(\.detail) }
}

extension UploadedFile {
    /// A number in a field of the form; 0 if it is absent.
    static func number(_ field: String, in request: PageRequest) -> Int { Int(text(field, in: request)) ?? 0 }

    /// The text of a field of the form; empty if it is absent.
    static func text(_ field: String, in request: PageRequest) -> String {
        let type = request.call.headers[.contentType] ?? ""
        let file = UploadedFile(field: field, in: request.call.rawBody, contentType: type)
        return file.map { String(decoding: $0.bytes, as: UTF8.self) } ?? ""
    }
}
