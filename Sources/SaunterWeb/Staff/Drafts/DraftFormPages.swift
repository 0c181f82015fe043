import HTTPTypes
import SaunterCore
import SaunterServer

/// The pages that change values in the files of a draft by forms: the words, and the schedule. Only values that the
/// visitor changed are saved.
struct DraftFormPages: Sendable {
    /// A study with more texts has one page for each questionnaire.
    static let maximumTexts = 300
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
            try await DraftForm.handle(request, context.renderer) { form in
                let part = request.field("part")
                let query = part.isEmpty ? "" : "part=\(PageAddress.encode(part))&"
                let address = "\(form.visit.address.page("words"))?\(query)notice=saved"
                if let reply = try await save(&form, to: address, { $0.texts }) { return reply }
                return wordsPage(
                    form.visit, try await Self.outline(form.visit), part, form, form.faults)
            }
        }
    }

    private func wordsPage(
        _ visit: DraftVisit, _ outline: DraftOutline, _ code: String, _ form: DraftForm?, _ faults: FormFaults
    ) -> Reply {
        let request = visit.request
        let shown = DraftFormView(form?.typed, outline.texts, form?.conflicts ?? [:], faults)
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

    /// What has several texts -> the number of keys before the name of one of them. A code of another text, such as an
    /// answer option, can look like such a name.
    private static let textsWithParts = [
        "reminder": 1, "prompt": 1, "notification": 1, "notices": 2, "rules": 2, "welcome": 2, "steps": 2,
        "arms": 2, "data_kinds": 2, "entitlements": 2, "features": 2, "variables": 2, "plans": 2,
        "factors": 2, "awards": 2, "anchors": 2,
    ]

    /// The name of a text, such as `Question › mood`, or of a value of study.yaml.
    static func name(of pointer: String, _ words: Words.Language) -> String {
        let keys = pointer.dropFirst().replacing("/", with: "_")
        if let setting = words["draft", "setting_\(keys)"] { return setting }
        var parts = pointer.split(separator: "/").map {
            String($0).replacing("~1", with: "/").replacing("~0", with: "~")
        }
        // These are lists. Other numbers are the codes of options.
        if ["steps", "welcome"].contains(parts.first), parts.count > 1, let index = Int(parts[1]) {
            parts[1] = String(index + 1)
        }
        // What has several texts names them after its code.
        if let index = textsWithParts[parts.first ?? ""], parts.indices.contains(index),
            let title = words["draft", "part_\(parts[index])"]
        {
            parts[index] = title
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
            try await DraftForm.handle(request, context.renderer) { form in
                let address = "\(form.visit.address.page("schedule"))?notice=saved"
                if let reply = try await save(&form, to: address, { $0.times }) { return reply }
                return schedulePage(form.visit, try await Self.outline(form.visit), form, form.faults)
            }
        }
    }

    private func schedulePage(
        _ visit: DraftVisit, _ outline: DraftOutline, _ form: DraftForm?, _ faults: FormFaults
    ) -> Reply {
        let request = visit.request
        let shown = DraftFormView(form?.typed, outline.times, form?.conflicts ?? [:], faults)
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
            let title = Self.name(of: setting.value.pointer, request.words)
            guard setting.value.kind == .channels else {
                return [
                    "single": shown.model(setting.value).merging(["title": title], uniquingKeysWith: { $1 })
                ]
            }
            return ["channels": shown.channels(setting.value, title: title, request.words)]
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

    /// Saves the values that the visitor changed. If other values changed in the meantime, they are kept.
    /// - Parameter address: where the form leads.
    private func save(
        _ form: inout DraftForm, to address: String, _ values: (DraftOutline) -> [DraftValue]
    ) async throws -> Reply? {
        try await form.save { form in
            let request = form.visit.request
            // The revision was read before the values, so a change between both is noticed when they are sent.
            let now = values(try await Self.outline(form.visit))
            let name = { (key: String, isRemoved: Bool) -> String in
                isRemoved ? key : Self.name(of: String(key.drop { $0 != "#" }.dropFirst()), request.words)
            }
            guard let changes = form.changes(of: now, name: name) else { return nil }
            for change in changes {
                guard let fault = Self.fault(of: change.value, change.typed, in: now, request.words) else {
                    continue
                }
                form.faults.add(fault.text, field: fault.field)
            }
            guard form.faults.isEmpty else { return nil }
            // The values that a part has saved are no changes any more if the next part has to be sent again.
            var revision = form.visit.view.revision
            for start in stride(from: 0, to: changes.count, by: Self.changesPerRequest) {
                let part = Array(changes[start...].prefix(Self.changesPerRequest))
                do {
                    let reply = try await request.send(
                        .put, "\(form.visit.address.resource)/values", Self.body(part),
                        headers: DraftAddress.headers(revision: revision)
                    ).json
                    revision = reply["revision"]?.int ?? revision
                } catch let problem as Problem where [413, 422].contains(problem.type.status) {
                    Self.add(problem, of: part.map(\.value), now, to: &form.faults, request)
                    return nil
                }
            }
            return address
        }
    }

    /// What is wrong with a list of channels that was chosen.
    private static func fault(
        of value: DraftValue, _ typed: String, in values: [DraftValue], _ words: Words.Language
    ) -> (text: String, field: String?)? {
        guard value.kind == .channels, let id = DraftFormView.id(of: value.key, in: values) else {
            return nil
        }
        let channels = DraftValue.channels(typed)
        if channels.isEmpty { return (words.text("draft", "fault_no_channel"), id) }
        let twice = channels.indices.first { channels[..<$0].contains(channels[$0]) }
        return twice.map { (words.text("draft", "fault_channel_twice"), DraftFormView.slotID($0, of: id)) }
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

    /// Adds the faults of the route. Each names a change by its index.
    private static func add(
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
            let name = name(of: changes[index].pointer, request.words)
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
        let isLong = [text, value.text].contains { $0.contains("\n") || $0.count > 40 }
        var model: [String: Any] = [
            "id": ids[value.key] ?? "", "name": DraftValuesForm.valuePrefix + value.key,
            "before_name": DraftValuesForm.beforePrefix + value.key, "before": value.text, "value": text,
            "kind": value.kind.rawValue,
        ]
        switch value.kind {
        case .boolean: model["flag"] = ["is_true": text == "true", "is_false": text != "true"]
        case .text where isLong:
            model["area"] = ["rows": String(min(12, max(2, text.count / 40 + text.count { $0 == "\n" } + 1)))]
        // The end of a day is 24:00, which a field for a time does not accept.
        case .time where text.isEmpty || text.wholeMatch(of: /([01][0-9]|2[0-3]):[0-5][0-9]/) != nil:
            model["input"] = ["type": "time"]
        case .number: model["input"] = ["type": "text", "inputmode": "numeric"]
        // A field for a date would show nothing for another text, and send nothing.
        case .date where text.isEmpty || LocalDate(text) != nil: model["input"] = ["type": "date"]
        case .text, .time, .duration, .code, .date, .channels: model["input"] = ["type": "text"]
        }
        if let now = conflicts[value.key] { model["now"] = ["text": now] }
        if let fault = ids[value.key].flatMap({ faults[$0] }) { model["wrong"] = ["text": fault] }
        return model
    }

    // MARK: Channels

    /// A list of channels as one choice for each place of their order. A place without a channel is left out.
    func channels(_ value: DraftValue, title: String, _ words: Words.Language) -> [String: Any] {
        var model = model(value)
        let id = model["id"] as? String ?? ""
        let known = ReminderChannel.allCases.map(\.rawValue)
        let chosen = DraftValue.channels(model["value"] as? String ?? "")
        func name(_ channel: String) -> String { words["draft", "channel_\(channel)"] ?? channel }
        model["title"] = title
        if let now = conflicts[value.key] {
            model["now"] = ["text": DraftValue.channels(now).map(name).joined(separator: ", ")]
        }
        // Each place has its fault; the first one has those of the list.
        model["wrong"] = nil
        let count = max(known.count, chosen.count, DraftValue.channels(value.text).count)
        model["slots"] = (0..<count).map { index -> [String: Any] in
            let current = index < chosen.count ? chosen[index] : ""
            let options = [""] + known + (current.isEmpty || known.contains(current) ? [] : [current])
            let slot = Self.slotID(index, of: id)
            var model: [String: Any] = [
                "id": slot, "name": DraftValuesForm.name(ofPart: index, of: value.key),
                "title": words.text("draft", "channel_place", ["number": String(index + 1)]),
                "options": options.map { option -> [String: Any] in
                    [
                        "value": option, "is_chosen": option == current,
                        "name": option.isEmpty ? words.text("draft", "channel_none") : name(option),
                    ]
                },
            ]
            if let fault = faults[slot] { model["wrong"] = ["text": fault] }
            return model
        }
        return model
    }

    /// The id of one place of a list. The first one has that of the list, to which faults of the list lead.
    static func slotID(_ index: Int, of id: String) -> String { index == 0 ? id : "\(id)-\(index + 1)" }
}
