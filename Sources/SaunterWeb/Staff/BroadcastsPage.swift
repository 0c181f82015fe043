import Foundation
import HTTPTypes
import SaunterCore
import SaunterServer
import SaunterStore

/// The page with which coordinators send a message to many participants: the list, the form, and a question with the
/// number of recipients before anything is sent.
struct BroadcastsPage: Sendable {
    let context: PageContext

    // MARK: The list

    var broadcasts: Route {
        context.get("/staff/{study}/broadcasts", query: ["sent"] + StaffQuery.names) { request in
            _ = try request.requireIdentity()
            let code = try request.path("study")
            let query = try StaffQuery(request, path: Self.address(code), filters: [])
            let list = try await request.get("\(Self.resource(code))/broadcasts", query: query.ofRoute)
            let view = StudyBroadcastsView(list, study: code, now: request.call.now, request.words)
            if query.isCSV { return view.table.csvReply }
            let study = try await request.get(Self.resource(code))
            let form = BroadcastForm(languages: Self.languages(study), field: { _ in "" })
            return try await page(view, study, code, form, query, FormFaults(request.words), request)
        }
    }

    private static func address(_ study: String) -> String { StaffStudyPage.broadcasts.address(study) }

    private static func resource(_ study: String) -> String { "/v1/studies/\(PageAddress.encodePart(study))" }

    private static func languages(_ study: JSON) -> [String] {
        (study["languages"]?.array ?? []).compactMap(\.string)
    }

    // MARK: The steps

    /// Checks the form and asks, sends what was asked for, or shows the form again. All have one address, so that a
    /// visitor who has to enter the password finds the page.
    var send: Route {
        context.post("/staff/{study}/broadcasts") { request in
            _ = try request.requireIdentity()
            let code = try request.path("study")
            let study = try await request.get(Self.resource(code))
            let form = BroadcastForm(languages: Self.languages(study), field: request.field)
            var faults = FormFaults(request.words)
            do {
                switch request.field("step") {
                case "edit": break
                case "send" where !form.id.isEmpty:
                    if try await send(form, to: code, &faults, request) {
                        return PageRenderer.redirect("\(Self.address(code))?sent=1")
                    }
                default:
                    form.check(&faults, request.words)
                    if faults.isEmpty,
                        let checked = try await recipients(of: form, in: code, &faults, request)
                    {
                        return try await question(checked, study, code, request)
                    }
                }
                let query = StaffQuery(path: Self.address(code), filters: [], values: [:])
                let list = try await request.get("\(Self.resource(code))/broadcasts", query: query.ofRoute)
                let view = StudyBroadcastsView(list, study: code, now: request.call.now, request.words)
                return try await page(view, study, code, form, query, faults, request)
            } catch let problem as Problem where problem.type == .passwordRequired {
                return form.id.isEmpty || request.field("step") != "send"
                    ? try await page(nil, study, code, form, nil, faults, request)
                    : try await question(form, study, code, request, needsPassword: true)
            }
        }
    }

    /// Chooses the participants and counts them.
    /// - Returns: the form with the number of recipients and the id of the broadcast; nil with faults.
    private func recipients(
        of form: BroadcastForm, in study: String, _ faults: inout FormFaults, _ request: PageRequest
    ) async throws -> BroadcastForm? {
        let words = request.words
        var form = form
        form.participants = []
        if !form.state.isEmpty {
            var query = "limit=\(BroadcastForm.maximumParticipants)&state=\(PageAddress.encode(form.state))"
            if !form.arm.isEmpty { query += "&arm=\(PageAddress.encode(form.arm))" }
            let found = try await request.get("\(Self.resource(study))/participants", query: query)
            guard found["next"]?.string == nil else {
                let most = String(BroadcastForm.maximumParticipants)
                faults.add(words.text("broadcasts", "fault_many", ["most": most]), field: "state")
                return nil
            }
            form.participants = (found["items"]?.array ?? []).filter { $0["status"]?.string == "active" }
                .compactMap { $0["participant_id"]?.string }
            // An audience needs at least one pseudonym.
            guard !form.participants.isEmpty else {
                faults.add(words.text("broadcasts", "fault_nobody"), field: "state")
                return nil
            }
        }
        let counted: JSON
        do {
            counted = try await request.send(
                .post, "\(Self.resource(study))/broadcasts/preview", ["audience": form.audience]
            ).json
        } catch let problem as Problem where problem.type == .bodyInvalid {
            faults.add(words.text("broadcasts", "fault_audience"), field: form.arm.isEmpty ? "state" : "arm")
            return nil
        }
        (form.recipients, form.paused) = (counted["recipients"]?.int ?? 0, counted["paused"]?.int ?? 0)
        guard form.recipients > 0 else {
            faults.add(words.text("broadcasts", "fault_nobody"), field: form.arm.isEmpty ? nil : "arm")
            return nil
        }
        form.id = UUID().uuidString.lowercased()
        form.notBefore = form.moment(at: request.call.now)
        return form
    }

    /// Sends the message. A repetition of the same form changes nothing, because the id of the broadcast is in it.
    /// - Returns: false with faults.
    private func send(
        _ form: BroadcastForm, to study: String, _ faults: inout FormFaults, _ request: PageRequest
    ) async throws -> Bool {
        let path = "\(Self.resource(study))/broadcasts/\(PageAddress.encodePart(form.id))"
        do {
            try await request.send(.put, path, form.body)
            return true
        } catch let problem as Problem where problem.type == .bodyInvalid {
            let isAudience = problem.faults.contains { $0.pointer.hasPrefix("/audience") }
            faults.add(
                request.words.text("broadcasts", isAudience ? "fault_audience" : "fault_words"), field: nil)
        } catch let problem as Problem where problem.type == .idReused {
            faults.add(request.words.text("broadcasts", "fault_sent"), field: nil)
        }
        return false
    }

    /// Stops a broadcast that is not sent to all recipients yet.
    var cancel: Route {
        context.post("/staff/{study}/broadcasts/cancel") { request in
            _ = try request.requireIdentity()
            let code = try request.path("study")
            let id = PageAddress.encodePart(request.field("broadcast_id"))
            do {
                try await request.send(.delete, "\(Self.resource(code))/broadcasts/\(id)")
            } catch let problem as Problem where problem.type == .passwordRequired {
                return PageRenderer.redirect(StaffLoginPage.address(next: Self.address(code)))
            }
            return PageRenderer.redirect(Self.address(code))
        }
    }

    // MARK: The pages

    /// - Parameters:
    ///   - view: nil if the password became too old; the page then has the form only, with what was typed.
    ///   - study: the response of `GET /v1/studies/{study}`.
    private func page(
        _ view: StudyBroadcastsView?, _ study: JSON, _ code: String, _ form: BroadcastForm,
        _ query: StaffQuery?, _ faults: FormFaults, _ request: PageRequest
    ) async throws -> Reply {
        var model = faults.model
        model["path"] = Self.address(code)
        if let view, let query {
            model["list"] = view.model(query)
            if request.call.query("sent") != nil { model["sent"] = true }
        } else {
            model["password_again"] = StaffLoginPage.address(next: Self.address(code))
        }
        // The form is shown after the password, because what is typed would be lost on the way to that page.
        if view == nil || request.identity?.session?.isConfirmed(at: request.call.now) ?? true
            || !form.filled.isEmpty
        {
            model["form"] = formModel(form, faults, arms: view?.arms ?? [form.arm], code, request)
        } else {
            model["password"] = StaffLoginPage.address(next: Self.address(code))
        }
        return context.renderer.page(
            "staff_broadcasts", title: request.words.text("staff", "broadcasts"), model,
            frame: try await StaffFrame.study(
                code, title: study["title"]?.string, .broadcasts, request),
            of: request, status: view == nil ? .unprocessableContent : faults.status)
    }

    private func formModel(
        _ form: BroadcastForm, _ faults: FormFaults, arms: [String], _ study: String,
        _ request: PageRequest
    ) -> [String: Any] {
        let words = request.words
        let found = faults.model["fault"] as? [String: String] ?? [:]
        func options(_ values: [(value: String, title: String)], _ current: String) -> [[String: Any]] {
            values.map { ["value": $0.value, "title": $0.title, "selected": $0.value == current] }
        }
        let known = arms.filter { !$0.isEmpty }
        var armOptions: [(value: String, title: String)] = [("", words.text("staff", "all_arms"))]
        armOptions += known.map { ($0, $0) }
        var stateOptions: [(value: String, title: String)] = [("", words.text("broadcasts", "everyone"))]
        stateOptions += BroadcastForm.states.map { ($0, words.text("staff", $0)) }
        let delayOptions: [(value: String, title: String)] = BroadcastForm.delays.map {
            ($0.name, words.text("broadcasts", "delay_\($0.name)"))
        }
        var model: [String: Any] = [
            "arms": options(armOptions, form.arm), "states": options(stateOptions, form.state),
            "delays": options(delayOptions, form.delay),
            "texts": form.texts.map { text -> [String: Any] in
                var model = Self.words(text, words)
                model["subject_fault"] = found["subject_\(text.language)"]
                model["body_fault"] = found["body_\(text.language)"]
                return model
            },
        ]
        if !known.isEmpty { model["has_arms"] = true }
        // Only researchers and coordinators may list participants by their state.
        if request.identity?.grant(.researcher, study: study) != nil { model["has_states"] = true }
        if form.texts.count > 1 { model["has_languages"] = true }
        return model
    }

    /// Asks before the message is sent, with the number of recipients and the words.
    private func question(
        _ form: BroadcastForm, _ study: JSON, _ code: String, _ request: PageRequest,
        needsPassword: Bool = false
    ) async throws -> Reply {
        let words = request.words
        func counted(_ name: String, _ count: Int) -> String {
            words.text("broadcasts", count == 1 ? "\(name)_one" : "\(name)_other", ["count": String(count)])
        }
        let missing = form.texts.filter(\.isEmpty).map { LanguageName.text($0.language, in: words.code) }
        var model: [String: Any] = [
            "path": Self.address(code), "question": counted("ask", form.recipients),
            "button": counted("send", form.recipients), "audience": audience(form, words),
            "hidden": form.hidden,
            "texts": form.filled.map { Self.words($0, words) },
        ]
        if form.paused > 0 { model["paused"] = counted("paused", form.paused) }
        if !missing.isEmpty {
            model["missing"] = words.text(
                "broadcasts", "missing", ["languages": missing.joined(separator: ", ")])
        }
        if let moment = Instant(form.notBefore) {
            model["moment"] = [
                StaffTable.moment(moment, LocalTimeText(language: words.code, zone: "UTC"))
            ]
        }
        if needsPassword { model["password_again"] = StaffLoginPage.address(next: Self.address(code)) }
        var frame = try await StaffFrame.study(code, title: study["title"]?.string, nil, request)
        frame.breadcrumb.append(
            PageFrame.Link(title: words.text("staff", "broadcasts"), address: Self.address(code)))
        return context.renderer.page(
            "staff_broadcast", title: words.text("broadcasts", "check"), model, frame: frame, of: request,
            status: needsPassword ? .unprocessableContent : .ok)
    }

    private static func words(_ text: BroadcastForm.Text, _ words: Words.Language) -> [String: String] {
        [
            "language": text.language, "name": LanguageName.text(text.language, in: words.code),
            "subject": text.subject, "body": text.body,
        ]
    }

    private func audience(_ form: BroadcastForm, _ words: Words.Language) -> String {
        let arm = form.arm.isEmpty ? words.text("staff", "all_arms") : form.arm
        let state = words.text(
            form.state.isEmpty ? "broadcasts" : "staff", form.state.isEmpty ? "everyone" : form.state)
        return words.text("broadcasts", "to", ["arm": arm, "state": state])
    }
}

/// `GET /v1/studies/{study}/broadcasts` in words.
struct StudyBroadcastsView {
    private let list: JSON
    private let study: String
    private let now: Instant
    private let words: Words.Language

    init(_ list: JSON, study: String, now: Instant, _ words: Words.Language) {
        self.list = list
        self.study = study
        self.now = now
        self.words = words
    }

    /// The arms that an audience can name.
    var arms: [String] { (list["arms"]?.array ?? []).compactMap(\.string) }

    private var items: [JSON] { list["items"]?.array ?? [] }
    private var asOf: Instant { list["as_of"]?.instant ?? now }

    /// The list of the page. A message that is not sent yet has a form that cancels it.
    func model(_ query: StaffQuery) -> [String: Any] {
        let time = LocalTimeText(language: words.code, zone: "UTC")
        func moment(_ item: JSON, _ name: String) -> [[String: String]] {
            (item[name]?.instant).map { [StaffTable.moment($0, time)] } ?? []
        }
        func number(_ item: JSON, _ name: String) -> String { item[name]?.int.map { String($0) } ?? "–" }
        var model: [String: Any] = [
            "as_of": StaffTable.moment(asOf, time), "csv": query.csvAddress, "has_items": !items.isEmpty,
            "items": items.map { item -> [String: Any] in
                let state = item["state"]?.string ?? ""
                return [
                    "id": item["broadcast_id"]?.string ?? "", "subject": item["subject"]?.string ?? "",
                    "state": text("state_\(state)"), "audience": audience(item),
                    "addressed": number(item, "addressed"), "sent": number(item, "sent"),
                    "failed": number(item, "failed"), "opened": number(item, "opened"),
                    "created": moment(item, "created_at"), "sent_from": moment(item, "not_before"),
                    "can_cancel": ["queued", "sending"].contains(state),
                ]
            },
        ]
        if let next = list["next"]?.string { model["next"] = query.address(cursor: next) }
        if !query["cursor"].isEmpty { model["first"] = query.address(cursor: nil) }
        return model
    }

    /// The list as a file.
    var table: StaffTable {
        StaffTable(
            name: "\(study)-broadcasts", caption: words.text("staff", "broadcasts"),
            columns: [
                "subject", "state", "audience", "addressed", "sent", "failed", "opened", "created",
                "sent_from",
            ].map { .init(title: text($0)) },
            rows: items.map { item in
                [
                    .text(item["subject"]?.string ?? ""), .text(text("state_\(item["state"]?.string ?? "")")),
                    .text(audience(item)), .number(item["addressed"]?.int), .number(item["sent"]?.int),
                    .number(item["failed"]?.int), .number(item["opened"]?.int),
                    .moment(item["created_at"]?.instant), .moment(item["not_before"]?.instant),
                ]
            }, asOf: asOf)
    }

    private func audience(_ item: JSON) -> String {
        switch item["audience"]?.string {
        case "arms":
            arms(item["arms"]?.array ?? [])
        case "participants": text("chosen", ["count": String(item["participants"]?.int ?? 0)])
        default: text("everyone")
        }
    }

    /// The names of the arms; without names if these are hidden from the visitor.
    private func arms(_ names: [JSON]) -> String {
        names.isEmpty ? text("some_arms") : names.compactMap(\.string).joined(separator: ", ")
    }

    private func text(_ name: String, _ values: [String: String] = [:]) -> String {
        words.text("broadcasts", name, values)
    }
}
