import HTTPTypes
import SaunterCore
import SaunterServer

/// The pages that change values in the files of a draft by forms: the words, and the schedule. Only values that the
/// visitor changed are saved.
struct DraftFormPages: Sendable {
    /// A study with more texts has one page for each questionnaire.
    static let maximumTexts = 300
    /// How often changes are sent again because another part of the draft changed in the meantime.
    private static let attempts = 3
    /// The largest number of changes that the route accepts.
    private static let changesPerRequest = 200

    let context: PageContext

    // MARK: Words

    var words: Route {
        context.get("/staff/{study}/draft/words", query: ["part", "notice"]) { request in
            let visit = try await DraftVisit(request)
            let part = request.call.query("part") ?? ""
            return wordsPage(visit, try await Self.outline(visit), part, nil, FormFaults(request.words))
        }
    }

    var saveWords: Route {
        context.post(
            "/staff/{study}/draft/words", limit: DraftLimits.textForm, maximumLength: DraftLimits.textLength
        ) { request in
            let study = try request.path("study")
            return try await FormAgain.keep(request, context.renderer, draftOf: study) {
                try await FormAgain.beginDraft(of: study, request)
                let part = request.field("part")
                let saved = try await save(request) { $0.texts }
                guard saved.isDone else {
                    return wordsPage(saved.visit, saved.outline, part, saved, saved.faults)
                }
                let query = part.isEmpty ? "" : "part=\(PageAddress.encode(part))&"
                return PageRenderer.redirect("\(saved.visit.address.page("words"))?\(query)notice=saved")
            }
        }
    }

    private func wordsPage(
        _ visit: DraftVisit, _ outline: DraftOutline, _ code: String, _ saved: Saved?, _ faults: FormFaults
    ) -> Reply {
        let request = visit.request
        let shown = DraftFormView(saved?.form, outline.texts, saved?.conflicts ?? [:], faults)
        let isDivided = outline.texts.count > Self.maximumTexts
        let parts = outline.parts.filter { !isDivided || $0.code == code }
        let links = outline.parts.map { part -> [String: Any] in
            [
                "title": part.code.isEmpty ? request.words.text("draft", "study_texts") : part.title,
                "address": "\(visit.address.page("words"))?part=\(PageAddress.encode(part.code))",
                "current": part.code == code,
            ]
        }
        var model = model(visit, "words", faults)
        model["parts"] = parts.map { part -> [String: Any] in
            [
                "title": part.code.isEmpty ? request.words.text("draft", "study_texts") : part.title,
                "code": part.code.isEmpty ? [] : [part.code],
                "entries": part.entries.map { entry -> [String: Any] in
                    [
                        "name": Self.name(of: entry.pointer, request.words),
                        "fields": outline.languages.compactMap { language -> [String: Any]? in
                            guard let value = entry.values[language] else { return nil }
                            return shown.model(value).merging(
                                [
                                    "language": language,
                                    "title": LanguageName.text(language, in: request.words.code),
                                ], uniquingKeysWith: { $1 })
                        },
                    ]
                },
            ]
        }
        model["part"] = isDivided ? code : ""
        if isDivided { model["links"] = links }
        return context.renderer.page(
            "staff_draft_words", title: request.words.text("draft", "step_words"), model,
            frame: visit.frame(isBelow: true), of: request, status: faults.status)
    }

    /// The name of a text, such as `Question › mood`.
    static func name(of pointer: String, _ words: Words.Language) -> String {
        var parts = pointer.split(separator: "/").map {
            String($0).replacing("~1", with: "/").replacing("~0", with: "~")
        }
        // The steps of the course are a list. Other numbers are the codes of options.
        if parts.first == "steps", parts.count > 1, let index = Int(parts[1]) {
            parts[1] = String(index + 1)
        }
        if let first = parts.first, let title = words["draft", "text_\(first)"] { parts[0] = title }
        return parts.joined(separator: " › ")
    }

    // MARK: Schedule

    var schedule: Route {
        context.get("/staff/{study}/draft/schedule", query: ["notice"]) { request in
            let visit = try await DraftVisit(request)
            return schedulePage(visit, try await Self.outline(visit), nil, FormFaults(request.words))
        }
    }

    var saveSchedule: Route {
        context.post("/staff/{study}/draft/schedule", limit: DraftLimits.textForm) { request in
            let study = try request.path("study")
            return try await FormAgain.keep(request, context.renderer, draftOf: study) {
                try await FormAgain.beginDraft(of: study, request)
                let saved = try await save(request) { $0.times }
                guard saved.isDone else {
                    return schedulePage(saved.visit, saved.outline, saved, saved.faults)
                }
                return PageRenderer.redirect("\(saved.visit.address.page("schedule"))?notice=saved")
            }
        }
    }

    private func schedulePage(
        _ visit: DraftVisit, _ outline: DraftOutline, _ saved: Saved?, _ faults: FormFaults
    ) -> Reply {
        let request = visit.request
        let shown = DraftFormView(saved?.form, outline.times, saved?.conflicts ?? [:], faults)
        let titles = Dictionary(
            outline.parts.map { ($0.code, $0.title) }, uniquingKeysWith: { first, _ in first })
        var model = model(visit, "schedule", faults)
        model["schedules"] = outline.schedules.map { schedule -> [String: Any] in
            [
                "title": titles[schedule.questionnaire] ?? schedule.questionnaire, "code": [schedule.code],
                "fields": schedule.fields.map { field -> [String: Any] in
                    shown.model(field.value).merging(
                        ["title": Self.name(ofField: field.name, request.words)], uniquingKeysWith: { $1 })
                },
            ]
        }
        model["settings"] = outline.settings.map { setting -> [String: Any] in
            shown.model(setting.value).merging(
                ["title": Self.name(ofSetting: setting.name, request.words)], uniquingKeysWith: { $1 })
        }
        model["has_settings"] = !outline.settings.isEmpty
        model["has_values"] = !outline.times.isEmpty
        model["has_schedules"] = !outline.schedules.isEmpty
        model["study_file"] = visit.address.file("studies/\(visit.study)/study.yaml")
        model["file"] = visit.address.file("studies/\(visit.study)/schedule.yaml")
        return context.renderer.page(
            "staff_draft_schedule", title: request.words.text("draft", "step_schedule"), model,
            frame: visit.frame(isBelow: true), of: request, status: faults.status)
    }

    /// The name of a field of a schedule, such as `Window 1 › Opens`.
    /// - Parameter name: the keys below the schedule, such as `slots/0/open`.
    static func name(ofField name: String, _ words: Words.Language) -> String {
        var parts: [String] = []
        for key in name.split(separator: "/") {
            if let index = Int(key), let last = parts.popLast() {
                parts.append("\(last) \(index + 1)")
            } else {
                parts.append(words["draft", "field_\(key)"] ?? String(key))
            }
        }
        return parts.joined(separator: " › ")
    }

    /// The name of a value of study.yaml, such as `Channel 1`.
    /// - Parameter name: its keys, such as `reminder/channels/0`.
    static func name(ofSetting name: String, _ words: Words.Language) -> String {
        let parts = name.split(separator: "/").map(String.init)
        let keys = parts.filter { Int($0) == nil }
        let title = words["draft", "setting_\(keys.joined(separator: "_"))"] ?? name
        return parts.last.flatMap { Int($0) }.map { "\(title) \($0 + 1)" } ?? title
    }

    // MARK: Both

    private static func outline(_ visit: DraftVisit) async throws -> DraftOutline {
        DraftOutline(
            try await visit.request.get("\(visit.address.resource)/outline"), study: visit.study,
            language: visit.request.words.code)
    }

    private func model(_ visit: DraftVisit, _ step: String, _ faults: FormFaults) -> [String: Any] {
        var model = faults.model
        model["address"] = visit.address.page(step)
        model["draft"] = visit.address.page
        model["steps"] = visit.steps(step)
        if visit.isEditor { model["editor"] = true }
        if visit.request.call.query("notice") == "saved" {
            model["notice"] = visit.request.words.text(
                "draft", visit.view.faults.isEmpty ? "notice_saved" : "notice_saved_faults")
        }
        return model
    }

    /// What happened to a form.
    private struct Saved {
        var visit: DraftVisit
        var outline: DraftOutline
        let form: DraftValuesForm
        var faults: FormFaults
        /// Key of a value -> what it is now.
        var conflicts: [String: String] = [:]
        var isDone = false
    }

    /// Saves the values that the visitor changed. If other values changed in the meantime, they are kept.
    private func save(
        _ request: PageRequest, _ values: (DraftOutline) -> [DraftValue]
    ) async throws -> Saved {
        // The revision is read before the values, so a change between both is noticed when the changes are sent.
        let visit = try await DraftVisit(request)
        try visit.requireEditor()
        var saved = Saved(
            visit: visit, outline: try await Self.outline(visit), form: DraftValuesForm(request.call.body),
            faults: FormFaults(request.words))
        for _ in 1...Self.attempts {
            let now = values(saved.outline)
            let outcome = saved.form.outcome(now: now)
            for conflict in outcome.conflicts {
                saved.conflicts[conflict.field.key] = conflict.now ?? ""
                add(conflict, now, to: &saved.faults, request)
            }
            guard saved.faults.isEmpty else { return saved }
            do {
                // The values that a part has saved are no changes any more if the next part has to be sent again.
                var revision = saved.visit.view.revision
                for start in stride(from: 0, to: outcome.changes.count, by: Self.changesPerRequest) {
                    let part = Array(outcome.changes[start...].prefix(Self.changesPerRequest))
                    do {
                        let reply = try await request.send(
                            .put, "\(visit.address.resource)/values", Self.body(part),
                            headers: DraftAddress.headers(revision: revision)
                        ).json
                        revision = reply["revision"]?.int ?? revision
                    } catch let problem as Problem where [413, 422].contains(problem.type.status) {
                        add(problem, of: part.map(\.value), now, to: &saved.faults, request)
                        return saved
                    }
                }
                saved.isDone = true
                return saved
            } catch let problem as Problem where problem.type.status == 412 {
                saved.visit = try await DraftVisit(request)
                saved.outline = try await Self.outline(saved.visit)
            }
        }
        saved.faults.add(request.words.text("draft", "fault_busy"), field: nil)
        return saved
    }

    private static func body(_ changes: [(value: DraftValue, typed: String)]) -> JSON {
        let list = changes.map { change -> JSON in
            [
                "file": .string(change.value.file), "pointer": .string(change.value.pointer),
                "value": change.value.json(change.typed),
            ]
        }
        return ["changes": .array(list)]
    }

    private func add(
        _ conflict: (field: DraftValuesForm.Field, now: String?), _ now: [DraftValue],
        to faults: inout FormFaults, _ request: PageRequest
    ) {
        guard conflict.now != nil else {
            // The form has no field for it any more, so the text is here.
            let values = ["place": conflict.field.key, "text": conflict.field.typed]
            return faults.add(request.words.text("draft", "fault_value_removed", values), field: nil)
        }
        let name = Self.name(of: String(conflict.field.key.drop { $0 != "#" }.dropFirst()), request.words)
        faults.add(
            request.words.text("draft", "fault_value_changed", ["name": name]),
            field: DraftFormView.id(of: conflict.field.key, in: now))
    }

    /// Adds the faults of the route. Each names a change by its index.
    private func add(
        _ problem: Problem, of changes: [DraftValue], _ now: [DraftValue], to faults: inout FormFaults,
        _ request: PageRequest
    ) {
        guard !problem.faults.isEmpty else { return faults.add(problem.lines[0], field: nil) }
        for fault in problem.faults {
            let index = fault.pointer.split(separator: "/").dropFirst().first.flatMap { Int($0) }
            guard let index, changes.indices.contains(index) else {
                faults.add(fault.detail, field: nil)
                continue
            }
            let name = Self.name(of: changes[index].pointer, request.words)
            faults.add(
                "\(name): \(fault.detail)", field: DraftFormView.id(of: changes[index].key, in: now))
        }
    }
}

/// The fields of a form with values of a draft.
struct DraftFormView {
    private let shown: [String: String]
    private let conflicts: [String: String]
    private let ids: [String: String]
    /// Id of a field -> its fault.
    private let faults: [String: String]

    /// - Parameters:
    ///   - form: what was sent; nil for the values of the draft.
    ///   - conflicts: key of a value -> the value that another editor gave it.
    init(
        _ form: DraftValuesForm?, _ values: [DraftValue], _ conflicts: [String: String],
        _ faults: FormFaults
    ) {
        shown = form?.shown(now: values) ?? [:]
        self.conflicts = conflicts
        self.faults = faults.model["fault"] as? [String: String] ?? [:]
        ids = Dictionary(
            values.enumerated().map { ($1.key, "v\($0)") }, uniquingKeysWith: { first, _ in first })
    }

    /// The id of the field of a value; nil if the form does not have it.
    static func id(of key: String, in values: [DraftValue]) -> String? {
        values.firstIndex { $0.key == key }.map { "v\($0)" }
    }

    /// A value as a field. `before` is the value of the draft, so that the form can be sent again after a conflict.
    func model(_ value: DraftValue) -> [String: Any] {
        let text = shown[value.key] ?? value.text
        let isLong = [text, value.text].contains { $0.contains("\n") || $0.count > 60 }
        var model: [String: Any] = [
            "id": ids[value.key] ?? "", "name": DraftValuesForm.valuePrefix + value.key,
            "before_name": DraftValuesForm.beforePrefix + value.key, "before": value.text, "value": text,
            "kind": value.kind.rawValue,
        ]
        switch value.kind {
        case .boolean: model["flag"] = ["is_true": text == "true", "is_false": text != "true"]
        case .text where isLong:
            model["area"] = ["rows": String(min(12, max(2, text.count / 60 + text.count { $0 == "\n" } + 1)))]
        // The end of a day is 24:00, which a field for a time does not accept.
        case .time where text.isEmpty || text.wholeMatch(of: /([01][0-9]|2[0-3]):[0-5][0-9]/) != nil:
            model["input"] = ["type": "time"]
        case .number: model["input"] = ["type": "text", "inputmode": "numeric"]
        // A field for a date would show nothing for another text, and send nothing.
        case .date where text.isEmpty || LocalDate(text) != nil: model["input"] = ["type": "date"]
        case .text, .time, .duration, .code, .date: model["input"] = ["type": "text"]
        }
        if let now = conflicts[value.key] { model["now"] = ["text": now] }
        if let fault = ids[value.key].flatMap({ faults[$0] }) { model["wrong"] = ["text": fault] }
        return model
    }
}
