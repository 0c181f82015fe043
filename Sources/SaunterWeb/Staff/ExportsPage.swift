import HTTPTypes
import SaunterCore
import SaunterEvaluation
import SaunterServer

/// The page on which a study team requests datasets, follows their progress, and gets the lines that read them.
struct ExportsPage: Sendable {
    /// How long the token in the lines is valid.
    private static let tokenSeconds = 3600

    let context: PageContext

    // MARK: The list and the form

    /// The datasets, and the form with the values in the address.
    var exports: Route {
        context.get("/staff/{study}/exports", query: ExportForm.names + StaffQuery.names) { request in
            _ = try request.requireIdentity()
            let code = try request.path("study")
            let query = try StaffQuery(request, path: Self.address(code), filters: [])
            if query.isCSV {
                return try await StudyExports(query, request).table(at: request.call.now).csvReply
            }
            return try await page(
                ExportForm(addressOf: request), FormFaults(request.words), query, request)
        }
    }

    /// Requests a dataset. If the server asks for the password first, the values of the form are in the address to
    /// which the visitor returns.
    var create: Route {
        context.post("/staff/{study}/exports") { request in
            _ = try request.requireIdentity()
            let code = try request.path("study")
            let form = ExportForm(sentBy: request)
            do {
                let made = try await request.send(.post, "\(Self.resource(code))/exports", form.body).json
                let id = made["export_id"]?.string ?? ""
                return PageRenderer.redirect("\(Self.address(code))#export-\(id)")
            } catch let problem as Problem {
                var faults = FormFaults(request.words)
                switch problem.type {
                case .passwordRequired:
                    return PageRenderer.redirect(
                        StaffLoginPage.address(next: form.address(Self.address(code))))
                case .bodyInvalid, .requestInvalid: Self.add(problem, to: &faults, request.words)
                case .notPermitted:
                    faults.add(request.words.text("exports", "fault_not_permitted"), field: "profile")
                case .tooManyRequests:
                    let minutes = String(problem.minutesToWait)
                    faults.add(
                        request.words.text("exports", "fault_queue", ["minutes": minutes]), field: nil)
                default: throw problem
                }
                return try await page(form, faults, Self.firstPage(code), request)
            }
        }
    }

    /// Cancels an export, or deletes its file.
    var end: Route {
        context.post("/staff/{study}/exports/end") { request in
            _ = try request.requireIdentity()
            let code = try request.path("study")
            do {
                try await request.send(.delete, Self.resource(code, export: request.field("export")))
            } catch let problem as Problem where problem.type == .passwordRequired {
                return PageRenderer.redirect(StaffLoginPage.address(next: Self.address(code)))
            }
            return PageRenderer.redirect("\(Self.address(code))#datasets")
        }
    }

    private static func address(_ study: String) -> String { StaffStudyPage.exports.address(study) }
    private static func resource(_ study: String) -> String {
        "/v1/studies/\(PageAddress.encodePart(study))"
    }
    private static func resource(_ study: String, export: String) -> String {
        "\(resource(study))/exports/\(PageAddress.encodePart(export))"
    }
    private static func firstPage(_ study: String) -> StaffQuery {
        StaffQuery(path: address(study), filters: [], values: [:])
    }

    /// Adds the faults that the API names, at the fields that they concern.
    private static func add(_ problem: Problem, to faults: inout FormFaults, _ words: Words.Language) {
        if problem.faults.isEmpty { faults.add(ProblemText(problem, words).title, field: nil) }
        for fault in problem.faults {
            let field = fault.pointer.split(separator: "/").first.map(String.init) ?? ""
            let text =
                words["exports", "fault_\(fault.code)"] ?? words["exports", "fault_\(field)"] ?? fault.detail
            faults.add(text, field: field)
        }
    }

    private func page(
        _ form: ExportForm, _ faults: FormFaults, _ query: StaffQuery, _ request: PageRequest
    ) async throws -> Reply {
        let words = request.words
        let study = try await StudyExports(query, request)
        var model = faults.model
        model["path"] = query.path
        model["profiles"] = study.profiles.map { Self.profile($0, form, words) }
        for date in ["from", "to"] { model["value_\(date)"] = form[date] }
        model["questionnaires"] = Self.boxes(
            study.questionnaires.map { ($0.code, $0.title) }, "questionnaires", form)
        model["arms"] = Self.boxes(study.arms.map { ($0, $0) }, "arms", form)
        model["has_arms"] = study.arms.count > 1
        model["formats"] = Self.boxes(
            DatasetFormat.allCases.map { ($0.rawValue, words.text("exports", "format_\($0.rawValue)")) },
            "formats", form)
        model["is_part"] = form.isPart
        model["returned"] = faults.isEmpty && !form.isEmpty
        model["items"] = study.exports.map(\.model)
        model["has_items"] = !study.exports.isEmpty
        model["is_new"] = study.exports.isEmpty && query["cursor"].isEmpty
        model["runs"] = study.exports.contains(where: \.isRunning)
        model["csv"] = query.csvAddress
        model["stream"] = StaffFrame.stream(study.code)
        if let next = study.next { model["next"] = query.address(cursor: next) }
        if !query["cursor"].isEmpty { model["first"] = query.address(cursor: nil) }
        var frame = try await StaffFrame.study(study.code, .exports, request)
        frame.modules.append("refresh")
        return context.renderer.page(
            "staff_exports", title: words.text("staff", "exports"), model, frame: frame, of: request,
            status: faults.status)
    }

    private static func profile(
        _ profile: JSON, _ form: ExportForm, _ words: Words.Language
    ) -> [String: Any] {
        let code = profile["profile"]?.string ?? ""
        return [
            "profile": code, "name": words.text("exports", "profile_\(code)"),
            "text": words.text("exports", "profile_\(code)_text"),
            "checked": form["profile"] == code, "allowed": profile["allowed"]?.bool ?? false,
            "needs_password": profile["needs_password"]?.bool ?? false,
            "measures": (profile["measures"]?.array ?? []).compactMap(\.string),
        ]
    }

    private static func boxes(
        _ values: [(code: String, name: String)], _ list: String, _ form: ExportForm
    ) -> [[String: Any]] {
        values.map {
            ["code": $0.code, "name": $0.name, "checked": form.has($0.code, in: list)]
        }
    }

    // MARK: The lines

    /// Creates an API token and shows it in lines that read the dataset. It is not shown again. A repetition of the
    /// same form creates no second token, because the id of the token is in it.
    var lines: Route {
        context.post("/staff/{study}/exports/lines") { request in
            _ = try request.requireIdentity()
            let code = try request.path("study")
            do {
                let export = try await request.get(Self.resource(code, export: request.field("export")))
                // A token for a dataset that has no file would be of no use.
                guard export["state"]?.string == "done" else {
                    return PageRenderer.redirect(Self.address(code))
                }
                let made = try await request.send(
                    .post, "\(Self.resource(code))/api-tokens", Self.token(for: export, request)
                ).json
                return try await linesPage(export, made, of: code, request)
            } catch let problem as Problem where problem.type == .passwordRequired {
                return PageRenderer.redirect(StaffLoginPage.address(next: Self.address(code)))
            } catch let problem as Problem where [.notPermitted, .idReused].contains(problem.type) {
                // A visitor without the role gets the same problem from the list.
                var faults = FormFaults(request.words)
                let fault = problem.type == .idReused ? "fault_made" : "too_many"
                faults.add(request.words.text("tokens", fault), field: nil)
                return try await page(
                    ExportForm(fields: [:]), faults, Self.firstPage(code), request)
            }
        }
    }

    /// The request for a token that can read the dataset.
    private static func token(for export: JSON, _ request: PageRequest) -> JSON {
        let time = LocalTimeText(language: request.words.code, zone: "UTC").dayAndTime(request.call.now)
        var body: JSONObject = [
            "label": .string(request.words.text("exports", "token_label", ["time": "\(time) UTC"])),
            "profile": export["profile"] == "full" ? "full" : "coded", "expires_in": .int(tokenSeconds),
        ]
        body.add(tokenOf: request)
        return .object(body)
    }

    private func linesPage(
        _ export: JSON, _ made: JSON, of study: String, _ request: PageRequest
    ) async throws -> Reply {
        let words = request.words
        let token = made["token"]?.string ?? ""
        guard
            let lines = DatasetLines(
                of: export, token: token, publicURL: context.server.configuration.publicURL)
        else { throw Problem(.notFound) }
        let time = LocalTimeText(language: words.code, zone: "UTC")
        let model: [String: Any] = [
            "programs": lines.parts.map { Self.program($0, words) }, "key": token,
            "until": (made["expires_at"]?.instant).map { [StaffTable.moment($0, time)] } ?? [],
            "tokens": StaffStudyPage.tokens.address(study), "list": Self.address(study),
        ]
        var frame = try await StaffFrame.study(study, nil, request)
        frame.breadcrumb.append(
            PageFrame.Link(title: words.text("staff", "exports"), address: Self.address(study)))
        return context.renderer.page(
            "staff_lines", title: words.text("exports", "use"), model, frame: frame, of: request)
    }

    private static func program(_ part: DatasetLines.Part, _ words: Words.Language) -> [String: Any] {
        let code = part.program.rawValue
        var model: [String: Any] = [
            "code": code, "name": words.text("exports", "program_\(code)"),
            "hint": words.text("exports", part.hasFiles ? "hint_\(code)" : "hint_\(code)_missing"),
        ]
        if !part.lines.isEmpty { model["commands"] = part.lines.joined(separator: "\n") }
        if part.program == .odata { model["shows_key"] = true }
        return model
    }
}

/// The datasets of a study, and what a request for another one can name.
private struct StudyExports {
    let code: String
    let questionnaires: [(code: String, title: String)]
    let arms: [String]
    /// As the API describes them.
    let profiles: [JSON]
    let exports: [ExportView]
    let next: String?
    private let words: Words.Language

    /// - Throws: `not-permitted` or `not-found` if the visitor may not read the datasets of the study.
    init(_ query: StaffQuery, _ request: PageRequest) async throws {
        code = try request.path("study")
        words = request.words
        let path = "/v1/studies/\(PageAddress.encodePart(code))"
        let list = try await request.get("\(path)/exports", query: query.ofRoute)
        let study = try await request.get(path)
        let questionnaires = (study["questionnaires"]?.array ?? []).compactMap { questionnaire in
            questionnaire["questionnaire"]?.string.map {
                (code: $0, title: questionnaire["title"]?.string ?? $0)
            }
        }
        self.questionnaires = questionnaires
        arms = (list["arms"]?.array ?? []).compactMap(\.string)
        profiles = list["profiles"]?.array ?? []
        next = list["next"]?.string
        let titles = Dictionary(
            questionnaires.map { ($0.code, $0.title) }, uniquingKeysWith: { first, _ in first })
        exports = (list["items"]?.array ?? []).map {
            ExportView($0, titles: titles, account: request.identity?.account, request.words)
        }
    }

    /// The datasets as a file.
    func table(at now: Instant) -> StaffTable {
        func title(_ name: String) -> String { words.text("exports", name) }
        return StaffTable(
            name: "\(code)-exports", caption: title("datasets"),
            columns: [
                "profile", "state", "contents", "requested", "by", "rows", "bytes", "sha256", "file",
                "expires",
            ].map { .init(title: title($0)) },
            rows: exports.map(\.row), asOf: now)
    }
}
