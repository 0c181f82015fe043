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
            let study = try request.path("study")
            return try await FormAgain.keep(request, context.renderer, draftOf: study) {
                try await FormAgain.beginDraft(of: study, request)
                return try await saved(request)
            }
        }
    }

    private func saved(_ request: PageRequest) async throws -> Reply {
        let visit = try await DraftVisit(request)
        try visit.requireEditor()
        let code = try request.path("programme")
        let action = FormAction(request.field("op"))
        let form = DraftValuesForm(request.call.body)
        var faults = FormFaults(request.words)
        var conflicts: [String: String] = [:]
        var isGone = false
        do {
            let done = try await DraftChange.repeated { () -> Bool in
                var list = try await JourneysPage.list(visit)
                guard list.journey(code) != nil else {
                    isGone = true
                    return false
                }
                let outcome = form.outcome(now: list.values(of: code))
                guard outcome.conflicts.isEmpty else {
                    conflicts = DraftChange.note(
                        outcome.conflicts, of: list.values(of: code), &faults, request.words)
                    return false
                }
                list.set(outcome.changes, of: code)
                Self.apply(action, module: request.field("module"), of: code, to: &list)
                try await JourneysPage.save(list, visit)
                return true
            }
            if done == true {
                let place = ["up", "down"].contains(action.name) ? "#at-\(action.code)" : ""
                return PageRenderer.redirect("\(Self.address(code, visit.address))?notice=saved\(place)")
            }
            if done == nil { faults.add(request.words.text("draft", "fault_busy"), field: nil) }
        } catch let problem as Problem where DraftChange.isRejection(problem) {
            for line in problem.lines { faults.add(line, field: nil) }
        }
        if isGone {
            return FormAgain.gone(request.words.text("journeys", "fault_gone"), request, context.renderer)
        }
        let newest = try await DraftVisit(request)
        return try page(try await JourneysPage.list(newest), newest, form, conflicts, faults)
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
            let study = try request.path("study")
            return try await FormAgain.keep(request, context.renderer, draftOf: study) {
                try await FormAgain.beginDraft(of: study, request)
                return try await addedPractice(request)
            }
        }
    }

    private func addedPractice(_ request: PageRequest) async throws -> Reply {
        let visit = try await DraftVisit(request)
        try visit.requireEditor()
        let code = try request.path("programme")
        var faults = FormFaults(request.words)
        var isGone = false
        do {
            let done = try await DraftChange.repeated { () -> String? in
                var list = try await JourneysPage.list(visit)
                guard list.journey(code) != nil else {
                    isGone = true
                    return nil
                }
                let titles = DraftChange.titles(list.languages, request)
                guard let title = list.languages.lazy.compactMap({ titles[$0] }).first else {
                    faults.add(request.words.text("journeys", "fault_title"), field: "new-title")
                    return nil
                }
                let typed = request.field("code").filter { !$0.isWhitespace }
                let outline = try await request.get("\(visit.address.resource)/outline")
                let questionnaires = (outline["questionnaires"]?.array ?? []).compactMap {
                    $0["code"]?.string
                }
                let practice =
                    typed.isEmpty
                    ? CodeFromTitle.code(
                        title, besides: Set(list.codes + questionnaires), fallback: "practice") : typed
                if questionnaires.contains(practice) {
                    faults.add(request.words.text("journeys", "fault_taken"), field: "code")
                    return nil
                }
                let saved = try await request.send(
                    .put, PracticePage.resource(practice, visit.address), DraftPractice.new(title: titles),
                    headers: DraftAddress.headers(revision: list.revision)
                ).json
                // Only the writer of the last revision continues; otherwise the newest list is read again.
                _ = try await DraftChange.repeated {
                    list = try await JourneysPage.list(visit)
                    list.changeModules(of: code) { if !$0.contains(practice) { $0.append(practice) } }
                    try await JourneysPage.save(list, visit)
                }
                return saved["practice"]?["code"]?.string ?? practice
            }
            if case .some(.some(let practice)) = done {
                return PageRenderer.redirect(
                    "\(PracticePage.address(practice, visit.address))?notice=created")
            }
            if done == nil { faults.add(request.words.text("draft", "fault_busy"), field: nil) }
        } catch let problem as Problem where DraftChange.isRejection(problem) {
            for line in problem.lines { faults.add(line, field: "code") }
        }
        if isGone {
            return FormAgain.gone(request.words.text("journeys", "fault_gone"), request, context.renderer)
        }
        let newest = try await DraftVisit(request)
        return try page(try await JourneysPage.list(newest), newest, nil, [:], faults, isNewTyped: true)
    }

    // MARK: - The picture

    var upload: Route {
        context.upload("/staff/{study}/draft/programmes/{programme}/picture", limit: DraftLimits.mediaForm) {
            request in
            let visit = try await DraftVisit(request)
            try visit.requireEditor()
            let code = try request.path("programme")
            var faults = FormFaults(request.words)
            let type = request.call.headers[.contentType] ?? ""
            let file = UploadedFile(field: "file", in: request.call.rawBody, contentType: type)
            if let file, !file.bytes.isEmpty {
                do {
                    let done: Void? = try await DraftChange.repeated {
                        var list = try await JourneysPage.list(visit)
                        guard list.journey(code) != nil else { throw Problem(.notFound) }
                        let library = "studies/\(visit.study)/library/"
                        let saved = try await DraftChange.upload(
                            file.bytes, stem: "\(library)media/\(code)", revision: list.revision,
                            visit.address, request)
                        list = try await JourneysPage.list(visit)
                        list.change(code) {
                            $0["picture"] = .string(String(saved.path.dropFirst(library.count)))
                        }
                        try await JourneysPage.save(list, visit)
                    }
                    if done != nil {
                        return PageRenderer.redirect(
                            "\(Self.address(code, visit.address))?notice=saved#picture")
                    }
                    faults.add(request.words.text("draft", "fault_busy"), field: "file")
                } catch let problem as Problem where DraftChange.isRejection(problem) {
                    for line in problem.lines { faults.add(line, field: "file") }
                }
            } else {
                faults.add(request.words.text("draft", "fault_choose_file"), field: "file")
            }
            let newest = try await DraftVisit(request)
            return try page(try await JourneysPage.list(newest), newest, nil, [:], faults)
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
            model["picture"] = visit.address.picture("studies/\(visit.study)/library/\(path)")
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
