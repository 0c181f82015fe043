import HTTPTypes
import SaunterCore
import SaunterServer

/// The page of one journey of a draft: its words in all languages, authors, picture, and practices in order.
struct JourneyPage: Sendable {
    let context: PageContext

    static func address(_ code: String, _ draft: DraftAddress) -> String {
        "\(JourneysPage.address(draft))/\(PageAddress.encodePart(code))"
    }

    var journey: Route {
        context.get("/staff/{study}/draft/programmes/{programme}", query: ["notice"]) { request in
            let visit = try await DraftVisit(request)
            let list = try await JourneysPage.list(visit)
            return try page(list, visit, nil, [:], FormFaults(request.words))
        }
    }

    // MARK: - Words and practices

    /// Saves what was typed, and does what the button says.
    var save: Route {
        context.post(
            "/staff/{study}/draft/programmes/{programme}", limit: DraftLimits.textForm,
            maximumLength: DraftLimits.textLength
        ) { request in
            try await DraftForm.handle(request, context.renderer) { form in try await saved(&form) }
        }
    }

    private func saved(_ form: inout DraftForm) async throws -> Reply {
        let request = form.visit.request
        let code = try request.path("programme")
        let action = FormAction(request.field("op"))
        do {
            let reply = try await form.save { form in
                var list = try await Self.list(with: code, form.visit)
                guard let changes = form.changes(of: list.values(of: code), name: request.words.nameOfValue)
                else { return nil }
                list.set(changes, of: code)
                Self.apply(action, module: request.field("module"), of: code, to: &list)
                try await JourneysPage.save(list, form.visit)
                return "\(Self.address(code, form.visit.address))?notice=saved\(action.anchor)"
            }
            if let reply { return reply }
        } catch is JourneyGone {
            return gone(request)
        }
        return try await again(form, isTyped: true)
    }

    /// Another editor removed the journey.
    private struct JourneyGone: Error {}

    private static func list(with code: String, _ visit: DraftVisit) async throws -> DraftJourneys {
        let list = try await JourneysPage.list(visit)
        guard list.journey(code) != nil else { throw JourneyGone() }
        return list
    }

    private func gone(_ request: PageRequest) -> Reply {
        FormAgain.gone(request.words.text("journeys", "fault_gone"), request, context.renderer)
    }

    /// The page with the newest draft and the faults.
    private func again(
        _ form: DraftForm, isTyped: Bool = false, isNewTyped: Bool = false
    ) async throws -> Reply {
        let visit = try await DraftVisit(form.visit.request)
        return try page(
            try await JourneysPage.list(visit), visit, isTyped ? form.typed : nil, form.conflicts,
            form.faults, isNewTyped: isNewTyped)
    }

    private static func apply(
        _ action: FormAction, module: String, of code: String, to list: inout DraftJourneys
    ) {
        switch action.name {
        case "add":
            guard list.practices.contains(where: { $0.code == module }) else { return }
            list.changeModules(of: code) { if !$0.contains(module) { $0.append(module) } }
        case "remove": list.changeModules(of: code) { $0.removeAll { $0 == action.code } }
        case "up", "down":
            list.changeModules(of: code) { modules in
                guard let index = modules.firstIndex(of: action.code) else { return }
                modules.move(index, by: action.name == "up" ? -1 : 1)
            }
        case "withdraw": list.change(code) { $0["withdrawn"] = true }
        case "restore": list.change(code) { $0["withdrawn"] = false }
        case "no_picture": list.change(code) { $0["picture"] = .null }
        default: break
        }
    }

    // MARK: - A new practice

    /// Adds a practice without exercises at the end of the journey, and opens its page.
    var addPractice: Route {
        context.post("/staff/{study}/draft/programmes/{programme}/practice") { request in
            try await DraftForm.handle(request, context.renderer) { form in try await addedPractice(&form) }
        }
    }

    private func addedPractice(_ form: inout DraftForm) async throws -> Reply {
        let request = form.visit.request
        let code = try request.path("programme")
        do {
            let reply = try await form.save(
                onRejection: { form, problem in
                    for line in problem.lines { form.faults.add(line, field: "code") }
                },
                { form in
                    let list = try await Self.list(with: code, form.visit)
                    guard let new = try await Self.newPractice(list, &form) else { return nil }
                    let saved = try await request.send(
                        .put, PracticePage.resource(new.code, form.visit.address),
                        DraftPractice.new(title: new.titles),
                        headers: DraftAddress.headers(revision: list.revision)
                    ).json
                    // Only the writer of the last revision continues; otherwise the newest list is read again.
                    _ = try await DraftForm.repeated {
                        var list = try await JourneysPage.list(form.visit)
                        list.changeModules(of: code) { if !$0.contains(new.code) { $0.append(new.code) } }
                        try await JourneysPage.save(list, form.visit)
                    }
                    let made = saved["practice"]?["code"]?.string ?? new.code
                    return "\(PracticePage.address(made, form.visit.address))?notice=created"
                })
            if let reply { return reply }
        } catch is JourneyGone {
            return gone(request)
        }
        return try await again(form, isNewTyped: true)
    }

    /// The titles and the code of a new practice; nil with a fault.
    private static func newPractice(
        _ list: DraftJourneys, _ form: inout DraftForm
    ) async throws -> (code: String, titles: [String: String])? {
        let request = form.visit.request
        let titles = DraftChange.titles(list.languages, request)
        guard let title = list.languages.lazy.compactMap({ titles[$0] }).first else {
            form.faults.add(request.words.text("journeys", "fault_title"), field: "new-title")
            return nil
        }
        let typed = request.field("code").filter { !$0.isWhitespace }
        let outline = try await request.get("\(form.visit.address.resource)/outline")
        let questionnaires = (outline["questionnaires"]?.array ?? []).compactMap { $0["code"]?.string }
        let code =
            typed.isEmpty
            ? CodeFromTitle.code(title, besides: Set(list.codes + questionnaires), fallback: "practice")
            : typed
        if questionnaires.contains(code) {
            form.faults.add(request.words.text("journeys", "fault_taken"), field: "code")
            return nil
        }
        return (code, titles)
    }

    // MARK: - The picture

    var upload: Route {
        context.upload("/staff/{study}/draft/programmes/{programme}/picture", limit: DraftLimits.mediaForm) {
            request in
            var form = try await DraftForm(request)
            let code = try request.path("programme")
            let reply = try await form.saveFile { form, bytes in
                let visit = form.visit
                var list = try await JourneysPage.list(visit)
                guard list.journey(code) != nil else { throw Problem(.notFound) }
                let library = "studies/\(visit.study)/library/"
                let saved = try await DraftChange.upload(
                    bytes, stem: "\(library)media/\(code)", revision: list.revision, visit.address, request)
                list = try await JourneysPage.list(visit)
                list.change(code) { $0["picture"] = .string(String(saved.path.dropFirst(library.count))) }
                try await JourneysPage.save(list, visit)
                return "\(Self.address(code, visit.address))?notice=saved#picture"
            }
            if let reply { return reply }
            return try await again(form)
        }
    }

    // MARK: - The page

    /// - Parameters:
    ///   - form: what was sent; nil for the values of the draft.
    ///   - conflicts: key of a value -> what another editor made of it.
    ///   - isNewTyped: whether the form for a new practice was sent.
    private func page(
        _ list: DraftJourneys, _ visit: DraftVisit, _ form: DraftValuesForm?, _ conflicts: [String: String],
        _ faults: FormFaults, isNewTyped: Bool = false
    ) throws -> Reply {
        let request = visit.request
        let words = request.words
        let code = try request.path("programme")
        guard let journey = list.journey(code) else { throw Problem(.notFound) }
        let values = list.values(of: code)
        let shown = DraftFormView(form, values, conflicts, faults)
        var model = faults.model
        model["address"] = Self.address(code, visit.address)
        model["steps"] = visit.steps("programmes")
        model["code"] = code
        model["state"] = words.text("journeys", "state_\(list.state(of: code))")
        model["list"] = JourneysPage.address(visit.address)
        if visit.isEditor { model["editor"] = true }
        switch request.call.query("notice") {
        case "saved": model["notice"] = words.text("journeys", "notice_saved")
        case "created": model["notice"] = words.text("journeys", "notice_created")
        default: break
        }
        let found = visit.view.faults { $0.hasPrefix("studies/\(visit.study)/library/programmes.") }
        model["found"] = found
        model["has_found"] = !found.isEmpty
        let byPointer = Dictionary(values.map { ($0.pointer, $0) }, uniquingKeysWith: { first, _ in first })
        model["groups"] = DraftJourneys.texts.map { name -> [String: Any] in
            [
                "name": words.text("journeys", "field_\(name)"),
                "hint": name == "introduction" ? [words.text("journeys", "markdown")] : [],
                "fields": list.languages.compactMap { language -> [String: Any]? in
                    guard let value = byPointer["/\(name)/\(language)"] else { return nil }
                    let field = shown.model(value).merging(
                        ["language": language, "title": LanguageName.text(language, in: words.code)],
                        uniquingKeysWith: { $1 })
                    return name == "introduction" ? DraftChange.area(field, rows: 8) : field
                },
            ]
        }
        if let authors = byPointer["/authors"] {
            model["authors"] = DraftChange.area(
                shown.model(authors).merging(
                    ["title": words.text("journeys", "field_authors")], uniquingKeysWith: { $1 }), rows: 3)
        }
        addModules(of: journey, list, to: &model, visit)
        if journey["withdrawn"]?.bool == true { model["is_withdrawn"] = true }
        if let path = journey["picture"]?.string {
            model["picture"] = visit.address.media("studies/\(visit.study)/library/\(path)")
        }
        model["new_titles"] = DraftChange.titleFields(list.languages, request, isTyped: isNewTyped)
        model["new_code"] = isNewTyped ? request.field("code") : ""
        var frame = visit.frame(isBelow: true)
        frame.breadcrumb.append(
            PageFrame.Link(
                title: words.text("journeys", "title"), address: JourneysPage.address(visit.address)))
        return context.renderer.page(
            "staff_journey", title: list.title(of: code, in: words.code), model, frame: frame, of: request,
            status: faults.status)
    }

    private func addModules(
        of journey: JSONObject, _ list: DraftJourneys, to model: inout [String: Any], _ visit: DraftVisit
    ) {
        let language = visit.request.words.code
        let modules = DraftJourneys.modules(of: journey)
        let known = Set(list.practices.map(\.code))
        model["practices"] = modules.enumerated().map { index, module -> [String: Any] in
            [
                "code": module, "title": list.title(ofPractice: module, in: language),
                "page": PracticePage.address(module, visit.address), "is_known": known.contains(module),
                "is_first": index == 0, "is_last": index == modules.count - 1,
            ]
        }
        model["has_practices"] = !modules.isEmpty
        let others = list.practices.filter { !modules.contains($0.code) }
        model["others"] = others.map { practice -> [String: Any] in
            ["code": practice.code, "title": list.title(ofPractice: practice.code, in: language)]
        }
        model["has_others"] = !others.isEmpty
    }
}
