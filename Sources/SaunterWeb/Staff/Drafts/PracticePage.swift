import HTTPTypes
import SaunterCore
import SaunterServer

/// The page of one practice of a draft: its words in all languages, and its exercises in order.
struct PracticePage: Sendable {
    let context: PageContext

    static func address(_ code: String, _ draft: DraftAddress) -> String {
        "\(draft.page("practices"))/\(PageAddress.encodePart(code))"
    }

    /// The practice in the API.
    static func resource(_ code: String, _ draft: DraftAddress) -> String {
        "\(draft.resource)/practices/\(PageAddress.encodePart(code))"
    }

    private static func read(_ code: String, _ visit: DraftVisit) async throws -> DraftPractice {
        DraftPractice(try await visit.request.get(resource(code, visit.address)))
    }

    private static func write(_ practice: DraftPractice, _ code: String, _ visit: DraftVisit) async throws {
        try await visit.request.send(
            .put, resource(code, visit.address), practice.body,
            headers: DraftAddress.headers(revision: practice.revision))
    }

    var practice: Route {
        context.get("/staff/{study}/draft/practices/{practice}", query: ["notice"]) { request in
            let visit = try await DraftVisit(request)
            let practice = try await Self.read(try request.path("practice"), visit)
            return try await page(practice, visit, nil, [:], FormFaults(request.words))
        }
    }

    // MARK: - Words and exercises

    /// Saves what was typed, and does what the button says.
    var save: Route {
        context.post(
            "/staff/{study}/draft/practices/{practice}", limit: DraftLimits.textForm,
            maximumLength: DraftLimits.textLength
        ) { request in
            try await DraftForm.handle(request, context.renderer) { form in try await saved(&form) }
        }
    }

    private func saved(_ form: inout DraftForm) async throws -> Reply {
        let request = form.visit.request
        let code = try request.path("practice")
        let action = FormAction(request.field("op"))
        var sent: DraftPractice?
        do {
            let reply = try await form.save(
                onRejection: { form, problem in
                    let shown = try await Self.read(code, form.visit)
                    Self.add(problem, of: sent, shown: shown, to: &form.faults, request.words)
                },
                { form in
                    var practice = try await Self.read(code, form.visit)
                    guard let changes = form.changes(of: practice.values, name: request.words.nameOfValue)
                    else { return nil }
                    practice.set(changes)
                    Self.apply(action, to: &practice)
                    sent = practice
                    try await Self.write(practice, code, form.visit)
                    return "\(Self.address(code, form.visit.address))?notice=saved\(action.anchor)"
                })
            if let reply { return reply }
        } catch let problem as Problem where problem.type == .notFound {
            // The draft was there at the beginning, so another editor removed the practice.
            return FormAgain.gone(
                request.words.text("journeys", "fault_practice_gone"), request, context.renderer)
        }
        return try await again(form, isTyped: true)
    }

    /// The page with the newest draft and the faults.
    /// - Parameter chosen: the exercise that was chosen in the form of a file.
    private func again(
        _ form: DraftForm, isTyped: Bool = false, chosen: String? = nil
    ) async throws -> Reply {
        let visit = try await DraftVisit(form.visit.request)
        let practice = try await Self.read(try visit.request.path("practice"), visit)
        return try await page(
            practice, visit, isTyped ? form.typed : nil, form.conflicts, form.faults, chosen: chosen)
    }

    private static func apply(_ action: FormAction, to practice: inout DraftPractice) {
        switch action.name {
        case "story", "input": practice.add(action.name)
        case "up": practice.move(action.code, by: -1)
        case "down": practice.move(action.code, by: 1)
        case "remove": practice.remove(action.code)
        case "no_media": practice.removeMedia(action.code)
        default: break
        }
    }

    /// Adds the faults of the route at their fields. A pointer has the index of an exercise, and a form its link id.
    /// - Parameters:
    ///   - sent: what the route rejected.
    ///   - shown: the practice whose fields the page shows.
    private static func add(
        _ problem: Problem, of sent: DraftPractice?, shown: DraftPractice, to faults: inout FormFaults,
        _ words: Words.Language
    ) {
        guard !problem.faults.isEmpty, let sent else {
            for line in problem.lines { faults.add(line, field: nil) }
            return
        }
        for fault in problem.faults {
            var steps = fault.pointer.split(separator: "/").map(String.init)
            if steps.count > 1, steps[0] == "exercises", let index = Int(steps[1]),
                sent.exercises.indices.contains(index)
            {
                steps[1] = DraftPractice.linkID(sent.exercises[index])
            }
            let key = "\(DraftPractice.file)#/\(steps.joined(separator: "/"))"
            let name = steps.first.map { words["journeys", "field_\($0)"] ?? $0 } ?? ""
            faults.add(
                name.isEmpty ? fault.detail : "\(name): \(fault.detail)",
                field: DraftFormView.id(of: key, in: shown.values))
        }
    }

    // MARK: - The picture, sound or film of an exercise

    var upload: Route {
        context.upload("/staff/{study}/draft/practices/{practice}/media", limit: DraftLimits.mediaForm) {
            request in
            var form = try await DraftForm(request)
            let code = try request.path("practice")
            let linkID = UploadedFile.text("exercise", in: request)
            let reply = try await form.saveFile { form, bytes in
                let visit = form.visit
                var practice = try await Self.read(code, visit)
                guard practice.exercises.contains(where: { DraftPractice.linkID($0) == linkID }) else {
                    throw Problem(.requestInvalid, request.words.text("journeys", "fault_exercise"))
                }
                let folder = practice.folder
                let saved = try await DraftChange.upload(
                    bytes, stem: "\(folder)media/\(linkID)", revision: practice.revision, visit.address,
                    request)
                practice = try await Self.read(code, visit)
                practice.setMedia(linkID, String(saved.path.dropFirst(folder.count)), saved.kind)
                try await Self.write(practice, code, visit)
                return "\(Self.address(code, visit.address))?notice=\(saved.kind.rawValue)#at-\(linkID)"
            }
            if let reply { return reply }
            return try await again(form, chosen: linkID)
        }
    }

    // MARK: - Removal

    /// Removes the practice from the draft after the question of the page.
    var delete: Route {
        context.post("/staff/{study}/draft/practices/{practice}/delete") { request in
            var form = try await DraftForm(request)
            let code = try request.path("practice")
            let reply = try await form.save { form in
                let revision = try await Self.read(code, form.visit).revision
                try await request.send(
                    .delete, Self.resource(code, form.visit.address),
                    headers: DraftAddress.headers(revision: revision))
                return "\(JourneysPage.address(form.visit.address))?notice=deleted"
            }
            if let reply { return reply }
            return try await again(form)
        }
    }

    // MARK: - The page

    /// - Parameters:
    ///   - form: what was sent; nil for the values of the draft.
    ///   - conflicts: key of a value -> what another editor made of it.
    ///   - chosen: the exercise that is chosen in the form of a file.
    private func page(
        _ practice: DraftPractice, _ visit: DraftVisit, _ form: DraftValuesForm?,
        _ conflicts: [String: String], _ faults: FormFaults, chosen: String? = nil
    ) async throws -> Reply {
        let request = visit.request
        let words = request.words
        let code = try request.path("practice")
        let shown = DraftFormView(form, practice.values, conflicts, faults)
        var model = faults.model
        model["address"] = Self.address(code, visit.address)
        model["steps"] = visit.steps("programmes")
        model["code"] = code
        model["version"] = practice.practice["version"]?.string ?? ""
        model["definition"] = visit.address.file("\(practice.folder)questionnaire.yaml")
        model["preview"] = "\(visit.address.page("try"))/q/\(PageAddress.encodePart(code))"
        if visit.isEditor { model["editor"] = true }
        switch request.call.query("notice") {
        case "saved": model["notice"] = words.text("journeys", "notice_saved")
        case "created": model["notice"] = words.text("journeys", "notice_practice")
        case let kind? where MediaFormat.Kind(rawValue: kind) != nil:
            model["notice"] = words.text("journeys", "notice_\(kind)")
        default: break
        }
        let found = visit.view.faults { $0.hasPrefix(practice.folder) }
        model["found"] = found
        model["has_found"] = !found.isEmpty
        addOwnFields(practice, shown, to: &model, words)
        model["exercises"] = practice.exercises.enumerated().map { index, exercise in
            exerciseModel(exercise, index, practice, shown, visit)
        }
        model["has_exercises"] = !practice.exercises.isEmpty
        model["can_delete"] = practice.journeys.isEmpty
        if !practice.journeys.isEmpty {
            let list = DraftJourneys(try await request.get("\(visit.address.resource)/programmes"))
            model["journeys"] = practice.journeys.enumerated().map { index, journey -> [String: Any] in
                [
                    "title": list.title(of: journey, in: words.code),
                    "page": JourneyPage.address(journey, visit.address), "is_next": index > 0,
                ]
            }
            model["has_journeys"] = true
        }
        let choices = practice.exercises.filter { $0["kind"]?.string != "other" }
        model["choices"] = choices.map { exercise -> [String: Any] in
            let linkID = DraftPractice.linkID(exercise)
            return [
                "code": linkID, "title": Self.summary(exercise, practice, words) ?? linkID,
                "is_chosen": linkID == chosen,
            ]
        }
        model["has_choices"] = !choices.isEmpty
        var frame = visit.frame(isBelow: true)
        frame.breadcrumb.append(
            PageFrame.Link(
                title: words.text("journeys", "title"), address: JourneysPage.address(visit.address)))
        return context.renderer.page(
            "staff_practice", title: practice.title(in: words.code), model, frame: frame, of: request,
            status: faults.status)
    }

    private func addOwnFields(
        _ practice: DraftPractice, _ shown: DraftFormView, to model: inout [String: Any],
        _ words: Words.Language
    ) {
        let values = Dictionary(
            practice.ownValues.map { ($0.pointer, $0) }, uniquingKeysWith: { first, _ in first })
        model["groups"] = ["title", "topic"].map { name -> [String: Any] in
            [
                "name": words.text("journeys", "field_\(name)"),
                "hint": name == "topic" ? [words.text("journeys", "topic_hint")] : [],
                "fields": practice.languages.compactMap { language in
                    values["/\(name)/\(language)"].map { Self.field($0, language, shown, words) }
                },
            ]
        }
        if let minutes = values["/minutes"] {
            var field = shown.model(minutes)
            field["title"] = words.text("journeys", "field_minutes")
            if field["input"] != nil { field["input"] = ["type": "text", "inputmode": "decimal"] }
            model["minutes"] = field
        }
        if let entitlement = values["/entitlement"],
            !practice.entitlements.isEmpty || !entitlement.text.isEmpty
        {
            var field = shown.model(entitlement)
            let chosen = field["value"] as? String ?? ""
            let all =
                [""] + practice.entitlements
                + [entitlement.text].filter { !$0.isEmpty && !practice.entitlements.contains($0) }
            field["options"] = all.map { option -> [String: Any] in
                [
                    "value": option, "is_chosen": option == chosen,
                    "name": option.isEmpty ? words.text("journeys", "for_all") : option,
                ]
            }
            model["entitlement"] = field
        }
    }

    private static func field(
        _ value: DraftValue, _ language: String, _ shown: DraftFormView, _ words: Words.Language
    ) -> [String: Any] {
        shown.model(value).merging(
            ["language": language, "title": LanguageName.text(language, in: words.code)],
            uniquingKeysWith: { $1 })
    }

    private func exerciseModel(
        _ exercise: JSONObject, _ index: Int, _ practice: DraftPractice, _ shown: DraftFormView,
        _ visit: DraftVisit
    ) -> [String: Any] {
        let words = visit.request.words
        let kind = exercise["kind"]?.string ?? "other"
        let linkID = DraftPractice.linkID(exercise)
        var model: [String: Any] = [
            "code": linkID, "number": String(index + 1), "kind": words.text("journeys", "kind_\(kind)"),
            "is_other": kind == "other", "type": exercise["type"]?.string ?? "",
            "is_first": index == 0, "is_last": index == practice.exercises.count - 1,
            "texts": practice.values(of: exercise).map { group -> [String: Any] in
                let isText = ["text", "media_text"].contains(group.name)
                let kind = group.name == "media_text" ? DraftPractice.mediaKind(exercise) : nil
                let key = kind.map { "field_media_\($0.rawValue)" } ?? "field_\(group.name)"
                return [
                    "name": words["journeys", key] ?? group.name,
                    "fields": zip(practice.languages, group.values).map { language, value in
                        let field = Self.field(value, language, shown, words)
                        return isText ? DraftChange.area(field, rows: 4) : field
                    },
                ]
            },
        ]
        if let path = exercise["media"]?["source"]?.string, let mediaKind = DraftPractice.mediaKind(exercise)
        {
            let isFile = path.hasPrefix("media/")
            model["medium"] = [
                "source": isFile ? visit.address.media(practice.folder + path) : path,
                "image": isFile && mediaKind == .image, "audio": isFile && mediaKind == .audio,
                "video": isFile && mediaKind == .video, "elsewhere": !isFile,
                "name": words.text("journeys", "media_\(mediaKind.rawValue)"),
            ]
        }
        return model
    }

    /// The first words of an exercise.
    private static func summary(
        _ exercise: JSONObject, _ practice: DraftPractice, _ words: Words.Language
    ) -> String? {
        DraftJourneys.text(exercise["text"], in: words.code, of: practice.languages).map { text in
            text.count > 60 ? "\(text.prefix(60))…" : text
        }
    }
}
