import HTTPTypes
import SaunterCore
import SaunterServer
import SaunterStore

/// The pages of the versions of one study: the list of versions and library editions, and what a version changed.
struct VersionsPage: Sendable {
    /// The versions that the server reads at once for a page of one version.
    private static let versionsPerRead = 100

    let context: PageContext

    /// All versions and editions of the library.
    var versions: Route {
        context.get("/staff/{study}/versions", query: StaffQuery.names + MoveResult.names) { request in
            _ = try request.requireIdentity()
            let code = try request.path("study")
            let query = try StaffQuery(request, path: Self.address(code), filters: [])
            return try await page(code, query, FormFaults(request.words), request)
        }
    }

    /// - Parameter typed: the code of the study as it was sent to move participants.
    private func page(
        _ code: String, _ query: StaffQuery, _ faults: FormFaults, _ request: PageRequest,
        typed: String = ""
    ) async throws -> Reply {
        let words = request.words
        let list = try await request.get("\(StudyRoute.resource(code))/versions", query: query.ofRoute)
        let study = try await StudyOfVersions(code, request)
        let view = VersionsView(list, of: code, seesContent: study.seesContent, words)
        let table = view.table(asOf: request.call.now)
        if query.isCSV { return table.csvReply }
        let isEditor = DraftVisit.isEditor(of: code, request)
        var model = view.model(
            table, query, mayRestore: isEditor && study.seesContent, now: request.call.now)
        for (name, value) in faults.model { model[name] = value }
        model["restore_address"] = "\(Self.address(code))/editions"
        model["hides_content"] = !study.seesContent
        if study.seesContent {
            model["draft"] = [
                "address": DraftAddress(study: code).page,
                "title": isEditor ? words.text("versions", "change") : words.text("draft", "title"),
            ]
        }
        let behind = list["behind"]?.int ?? 0
        if isEditor, behind > 0, let live = study.liveVersion {
            model["move"] = [
                "path": Self.address(code), "version": live, "code": typed,
                "text": words.counted("versions", "move_text", behind, ["version": live]),
                "code_hint": words.text("publish", "code_hint", ["study": code]),
                "button": words.counted("versions", "move_button", behind),
            ]
        }
        model["notice"] = MoveResult(query: { request.call.query($0) })?.text(words)
        return context.renderer.page(
            "staff_versions", title: words.text("staff", "versions"), model,
            frame: StaffFrame.study(study.view, .versions, request), of: request,
            status: faults.status)
    }

    /// Begins a draft with the library of an earlier edition. A draft that exists is not touched, because its library
    /// can have changes of other editors.
    var restore: Route {
        context.post("/staff/{study}/versions/editions") { request in
            _ = try request.requireIdentity()
            let code = try request.path("study")
            let address = DraftAddress(study: code)
            do {
                try await request.send(.post, address.resource, [:])
            } catch let problem as Problem where problem.type == .draftExists {
                var faults = FormFaults(request.words)
                faults.add(request.words.text("versions", "restore_busy"), field: nil)
                let query = try StaffQuery(request, path: Self.address(code), filters: [])
                return try await page(code, query, faults, request)
            }
            let draft = try await request.get(address.resource)
            try await request.send(
                .put, "\(address.resource)/library", ["edition": .int(Int(request.field("edition")) ?? 0)],
                headers: DraftAddress.headers(revision: draft["revision"]?.int ?? 0))
            return PageRenderer.redirect("\(address.page("publish"))?notice=restored")
        }
    }

    /// Moves participants of other versions to the live one.
    var move: Route {
        context.post("/staff/{study}/versions") { request in
            let identity = try request.requireIdentity()
            let code = try request.path("study")
            guard identity.grant(.editor, study: code) != nil else { throw Problem(.notPermitted) }
            let typed = request.field("code")
            let confirmed = typed.filter { !$0.isWhitespace }
            let version = PageAddress.encodePart(request.field("version"))
            var faults = FormFaults(request.words)
            if confirmed != code {
                faults.add(request.words.text("publish", "fault_code", ["study": code]), field: "code")
            }
            if faults.isEmpty {
                do {
                    let done = try await request.send(
                        .post, "\(StudyRoute.resource(code))/versions/\(version)/moves",
                        ["confirm": .string(confirmed)]
                    ).json
                    return PageRenderer.redirect(MoveResult(done).address(Self.address(code)))
                } catch let problem as Problem {
                    switch problem.type {
                    case .passwordRequired:
                        return PageRenderer.redirect(StaffLoginPage.address(next: Self.address(code)))
                    case .tooManyRequests: faults.add(request.tooManyText(problem), field: nil)
                    case .versionNotLive:
                        faults.add(ProblemText(problem, request.words).text, field: nil)
                    default: throw problem
                    }
                }
            }
            let query = StaffQuery(path: Self.address(code), filters: [], values: [:])
            return try await page(code, query, faults, request, typed: typed)
        }
    }

    /// What one version changed, and the result of its publication for the editor who published it.
    var version: Route {
        context.get(
            "/staff/{study}/versions/{version}",
            query: ["from"] + PublicationResult.names + StaffQuery.names
        ) { request in
            _ = try request.requireIdentity()
            let code = try request.path("study")
            let version = try request.path("version")
            let query = try StaffQuery(request, path: Self.address(version, of: code), filters: ["from"])
            let versions = try await request.list(
                "\(StudyRoute.resource(code))/versions", query: "limit=\(Self.versionsPerRead)")
            guard let item = versions.first(where: { $0["version"]?.string == version }) else {
                throw Problem(.notFound)
            }
            let study = try await StudyOfVersions(code, request)
            guard study.seesContent else { throw Problem(.armsBlinded) }
            let difference = try await difference(
                query["from"], version, isFirst: versions.last?["version"]?.string == version, code, request)
            let view = DifferenceView(difference ?? [:], request.words)
            if query.isCSV {
                return view.table("\(code)-difference", asOf: request.call.now).csvReply
            }
            return page(item, versions, difference == nil ? nil : view, code, study, query, request)
        }
    }

    static func address(_ study: String) -> String { StaffStudyPage.versions.address(study) }

    static func address(_ version: String, of study: String) -> String {
        "\(address(study))/\(PageAddress.encodePart(version))"
    }

    /// The difference from another version, by default from the version before; nil for the first version.
    private func difference(
        _ from: String, _ version: String, isFirst: Bool, _ study: String, _ request: PageRequest
    ) async throws -> JSON? {
        if isFirst, from.isEmpty { return nil }
        return try await request.get(
            "\(StudyRoute.resource(study))/versions/\(PageAddress.encodePart(version))/difference",
            query: from.isEmpty ? nil : "from=\(PageAddress.encode(from))")
    }

    private func page(
        _ item: JSON, _ versions: [JSON], _ view: DifferenceView?, _ study: String, _ owner: StudyOfVersions,
        _ query: StaffQuery, _ request: PageRequest
    ) -> Reply {
        let words = request.words
        let version = item["version"]?.string ?? ""
        let known = VersionItem(item, of: study, words)
        var model: [String: Any] = ["path": query.path, "facts": known.facts(now: request.call.now)]
        model["pack"] = known.packAddress
        if DraftVisit.isEditor(of: study, request) {
            model["begin"] = "\(DraftAddress(study: study).page)?from=\(PageAddress.encode(version))"
        }
        let others = versions.compactMap { $0["version"]?.string }.filter { $0 != version }
        if let view {
            model["difference"] = view.model
            model["csv"] = query.csvAddress
            model["from_text"] = words.text("versions", "compared", ["version": view.from ?? ""])
        }
        if !others.isEmpty {
            model["choice"] = [
                "options": others.map { other -> [String: Any] in
                    ["value": other, "selected": other == (view?.from ?? "")]
                }
            ]
        }
        if let result = PublicationResult(query: { request.call.query($0) }) {
            model["result"] = result.model(version, further: "\(Self.address(study))#move", words)
        }
        var frame = StaffFrame.study(owner.view, nil, request)
        frame.breadcrumb.append(
            PageFrame.Link(title: words.text("staff", "versions"), address: Self.address(study)))
        frame.styles.append("draft")
        return context.renderer.page(
            "staff_version", title: words.text("publish", "version_name", ["version": version]), model,
            frame: frame, of: request)
    }
}

/// What one request to move participants did, as it is in the address of the page to which it leads.
struct MoveResult: Equatable {
    /// The names of the query parameters.
    static let names = ["moved", "remaining", "superseded"]

    private let moved: Int
    private let remaining: Int
    /// Whether another version became live in the meantime.
    private let isSuperseded: Bool

    /// - Parameter done: the response of the route.
    init(_ done: JSON) {
        moved = done["moved"]?.int ?? 0
        remaining = done["remaining"]?.int ?? 0
        isSuperseded = done["superseded_by"]?.string != nil
    }

    /// - Parameter query: the value of a query parameter. Without a number of participants it is nil.
    init?(query: (_ name: String) -> String?) {
        guard let moved = query("moved").flatMap({ Int($0) }), moved >= 0 else { return nil }
        self.moved = moved
        remaining = query("remaining").flatMap { Int($0) } ?? 0
        isSuperseded = query("superseded") != nil
    }

    /// The address of the page with the result.
    func address(_ path: String) -> String {
        "\(path)?moved=\(moved)" + (remaining > 0 ? "&remaining=\(remaining)" : "")
            + (isSuperseded ? "&superseded=1" : "")
    }

    func text(_ words: Words.Language) -> String {
        var sentences = [words.counted("versions", "moved", moved)]
        if remaining > 0 { sentences.append(words.counted("publish", "done_remaining", remaining)) }
        if isSuperseded { sentences.append(words.text("publish", "done_superseded")) }
        return sentences.joined(separator: " ")
    }
}

/// What the pages of versions need to know of their study.
struct StudyOfVersions {
    /// The study for the frame of its pages; without a title if no version is published.
    let view: StaffStudyView
    /// The title; the code if no version is published.
    var title: String { view.title }
    /// Whether the visitor may see files and differences. In a blinded study they show the codes of arms.
    let seesContent: Bool
    /// Whether a version is published. Without one, the study has only the pages of its draft.
    var isPublished: Bool { liveVersion != nil }
    /// The version that new participants join; nil if no version is published.
    let liveVersion: String?

    init(_ code: String, _ request: PageRequest) async throws {
        do {
            let item = try await StaffStudyView.item(of: code, request)
            view = StaffStudyView(item, request.words)
            liveVersion = item["live_version"]?.string
            seesContent = !(item["blinded"]?.bool ?? false) || item["sees_arms"]?.bool ?? false
        } catch let problem as Problem where problem.type == .notFound {
            // The study has a draft only. The route of the page has checked that the visitor is in its team.
            view = StaffStudyView(["study": .string(code)], request.words)
            liveVersion = nil
            seesContent = true
        }
    }
}
