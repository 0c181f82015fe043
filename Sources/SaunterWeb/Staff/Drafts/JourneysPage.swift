import HTTPTypes
import SaunterCore
import SaunterServer

/// The page with the journeys of a draft: their order, new ones, and which have left the lists of participants.
struct JourneysPage: Sendable {
    let context: PageContext

    var journeys: Route {
        context.get("/staff/{study}/draft/programmes", query: ["notice"]) { request in
            try await page(DraftVisit(request), FormFaults(request.words))
        }
    }

    static func address(_ draft: DraftAddress) -> String { draft.page("programmes") }

    static func list(_ visit: DraftVisit) async throws -> DraftJourneys {
        DraftJourneys(try await visit.request.get("\(visit.address.resource)/programmes"))
    }

    /// Writes all journeys.
    static func save(_ list: DraftJourneys, _ visit: DraftVisit) async throws {
        try await visit.request.send(
            .put, "\(visit.address.resource)/programmes", list.body,
            headers: DraftAddress.headers(revision: list.revision))
    }

    // MARK: - Changes

    /// Adds a journey, or changes one by a button: its place in the list, or whether it is in the list.
    var change: Route {
        context.post("/staff/{study}/draft/programmes") { request in
            try await DraftForm.handle(request, context.renderer) { form in try await changed(&form) }
        }
    }

    private func changed(_ form: inout DraftForm) async throws -> Reply {
        let request = form.visit.request
        let action = FormAction(request.field("op"))
        let reply = try await form.save(
            onRejection: { form, problem in
                let atCode = problem.faults.filter { $0.pointer.hasSuffix("/code") }.map(\.detail)
                for text in atCode { form.faults.add(text, field: "code") }
                for line in atCode.isEmpty ? problem.lines : [] { form.faults.add(line, field: nil) }
            },
            { form in
                let visit = form.visit
                var list = try await Self.list(visit)
                guard action.name == "new" else {
                    guard Self.apply(action, to: &list) else {
                        form.faults.add(request.words.text("journeys", "fault_gone"), field: nil)
                        return nil
                    }
                    try await Self.save(list, visit)
                    return "\(Self.address(visit.address))?notice=saved#at-\(action.code)"
                }
                let titles = DraftChange.titles(list.languages, request)
                guard let title = list.languages.lazy.compactMap({ titles[$0] }).first else {
                    form.faults.add(request.words.text("journeys", "fault_title"), field: "new-title")
                    return nil
                }
                let typed = request.field("code").filter { !$0.isWhitespace }
                let taken = Set(list.codes + list.removed + list.practices.map(\.code))
                let code =
                    typed.isEmpty
                    ? CodeFromTitle.code(title, besides: taken, fallback: "journey") : typed
                list.add(code, title: titles)
                try await Self.save(list, visit)
                return "\(JourneyPage.address(code, visit.address))?notice=created"
            })
        if let reply { return reply }
        return try await page(DraftVisit(request), form.faults)
    }

    /// - Returns: false if there is no such journey, or if it cannot be changed like this.
    private static func apply(_ action: FormAction, to list: inout DraftJourneys) -> Bool {
        guard list.journey(action.code) != nil else { return false }
        switch action.name {
        case "up": list.move(action.code, by: -1)
        case "down": list.move(action.code, by: 1)
        case "withdraw": list.change(action.code) { $0["withdrawn"] = true }
        case "restore": list.change(action.code) { $0["withdrawn"] = false }
        // Participants may have entries of a published journey.
        case "remove" where list.state(of: action.code) == "added": list.remove(action.code)
        default: return false
        }
        return true
    }

    // MARK: - The page

    private func page(_ visit: DraftVisit, _ faults: FormFaults) async throws -> Reply {
        let request = visit.request
        let words = request.words
        var model = faults.model
        model["address"] = Self.address(visit.address)
        model["draft"] = visit.address.page
        model["steps"] = visit.steps("programmes")
        if visit.isEditor { model["editor"] = true }
        switch request.call.query("notice") {
        case "saved", "deleted": model["notice"] = words.text("journeys", "notice_saved")
        default: break
        }
        let library = "studies/\(visit.study)/library/programmes."
        let found = visit.view.faults { $0.hasPrefix(library) }
        model["found"] = found
        model["has_found"] = !found.isEmpty
        do {
            let list = try await Self.list(visit)
            add(list, to: &model, visit)
        } catch let problem as Problem where problem.type == .draftInvalid {
            model["broken"] = ["lines": problem.lines]
        }
        return context.renderer.page(
            "staff_journeys", title: words.text("journeys", "title"), model,
            frame: visit.frame(isBelow: true), of: request, status: faults.status)
    }

    private func add(_ list: DraftJourneys, to model: inout [String: Any], _ visit: DraftVisit) {
        let words = visit.request.words
        let codes = list.codes
        model["journeys"] = list.journeys.enumerated().map { index, journey -> [String: Any] in
            let code = codes.indices.contains(index) ? codes[index] : ""
            let isWithdrawn = journey["withdrawn"]?.bool ?? false
            var item: [String: Any] = [
                "code": code, "title": list.title(of: code, in: words.code),
                "page": JourneyPage.address(code, visit.address),
                "state": words.text("journeys", "state_\(list.state(of: code))"),
                "practices": words.counted("journeys", "practices", DraftJourneys.modules(of: journey).count),
                "is_first": index == 0, "is_last": index == list.journeys.count - 1,
                "is_withdrawn": isWithdrawn, "is_new": list.state(of: code) == "added",
            ]
            if let path = journey["picture"]?.string {
                item["thumb"] = visit.address.media("studies/\(visit.study)/library/\(path)")
            }
            return item
        }
        model["has_journeys"] = !list.journeys.isEmpty
        model["is_empty"] = list.journeys.isEmpty
        model["order_changed"] = list.isOrderChanged
        model["removed"] = list.removed
        model["has_removed"] = !list.removed.isEmpty
        let isTyped = visit.request.field("op") == "new"
        model["new_titles"] = DraftChange.titleFields(list.languages, visit.request, isTyped: isTyped)
        model["new_code"] = isTyped ? visit.request.field("code") : ""
        let inJourneys = Set(list.journeys.flatMap(DraftJourneys.modules))
        let others = list.practices.filter { !inJourneys.contains($0.code) }
        model["others"] = others.map { practice -> [String: Any] in
            [
                "title": list.title(ofPractice: practice.code, in: words.code), "code": practice.code,
                "page": PracticePage.address(practice.code, visit.address),
            ]
        }
        model["has_others"] = !others.isEmpty
    }
}
