import HTTPTypes
import SaunterCore
import SaunterServer
import SaunterStore

/// The page on which an editor publishes the draft of a study: what prevents it, what it changes, whom it affects, and
/// the form that asks for the code of the study.
struct PublishPage: Sendable {
    let context: PageContext

    var preview: Route {
        context.get(
            "/staff/{study}/draft/publish",
            query: PublicationForm.names + StaffQuery.names + ["raised", "notice"]
        ) { request in
            _ = try request.requireIdentity()
            let study = try request.path("study")
            let query = try StaffQuery(request, path: Self.address(study), filters: [])
            let form = PublicationForm { request.call.query($0) }
            guard let draft = try await DraftToPublish(of: study, request) else {
                return try await missing(study, request)
            }
            if query.isCSV {
                return draft.view.table("\(study)-publication", asOf: request.call.now).csvReply
            }
            return page(draft, form, FormFaults(request.words), study, query, request)
        }
    }

    /// Publishes the draft. If the server asks for the password first, the values of the form are in the address to
    /// which the visitor returns.
    var publish: Route {
        context.post("/staff/{study}/draft/publish") { request in
            _ = try request.requireIdentity()
            let study = try request.path("study")
            let form = PublicationForm { request.field($0) }
            var faults = FormFaults(request.words)
            Self.check(form, of: study, &faults, request.words)
            if faults.isEmpty {
                do {
                    let done = try await request.send(
                        .post, "\(DraftAddress(study: study).resource)/publication", Self.body(form),
                        headers: DraftAddress.headers(revision: Int(form.revision) ?? 0)
                    ).json
                    return PageRenderer.redirect(Self.address(of: done, form, study))
                } catch let problem as Problem {
                    switch problem.type {
                    case .passwordRequired:
                        return PageRenderer.redirect(
                            StaffLoginPage.address(next: form.address(Self.address(study))))
                    // The page says who changed the draft.
                    case .preconditionFailed: break
                    case .notFound: return try await missing(study, request)
                    case .tooManyRequests: faults.add(request.tooManyText(problem), field: nil)
                    // The page shows the form again, with what prevents the publication now.
                    case _ where [409, 422].contains(problem.type.status):
                        Self.add(problem, to: &faults, request.words)
                    default: throw problem
                    }
                }
            }
            guard let draft = try await DraftToPublish(of: study, request) else {
                return try await missing(study, request)
            }
            let query = StaffQuery(path: Self.address(study), filters: [], values: [:])
            return page(draft, form, faults, study, query, request)
        }
    }

    /// Takes a newer edition of the library over into the draft.
    var takeLibrary: Route {
        context.post("/staff/{study}/draft/library") { request in
            _ = try request.requireIdentity()
            let study = try request.path("study")
            do {
                try await request.send(
                    .post, "\(DraftAddress(study: study).resource)/library",
                    headers: DraftAddress.headers(revision: Int(request.field("revision")) ?? 0))
                return PageRenderer.redirect("\(Self.address(study))?notice=library")
            } catch let problem as Problem where problem.type == .notFound {
                return try await missing(study, request)
            } catch let problem as Problem where problem.type.status == 412 {
                // The page says who changed the draft.
                let form = PublicationForm { $0 == "revision" ? request.field("revision") : nil }
                return PageRenderer.redirect(form.address(Self.address(study)))
            }
        }
    }

    static func address(_ study: String) -> String { DraftAddress(study: study).page("publish") }

    // MARK: The form

    private static func check(
        _ form: PublicationForm, of study: String, _ faults: inout FormFaults, _ words: Words.Language
    ) {
        if form.follow.isEmpty, form.expected?["enrolments"] ?? 0 > 0 {
            faults.add(words.text("publish", "fault_follow"), field: "follow")
        }
        if form.typedCode != study {
            faults.add(words.text("publish", "fault_code", ["study": study]), field: "code")
        }
        // A form without a revision was not made by the page.
        if Int(form.revision) == nil || form.expected == nil {
            faults.add(words.text("publish", "fault_form"), field: nil)
        }
    }

    private static func body(_ form: PublicationForm) -> JSON {
        var expected = JSONObject()
        for name in PublicationNumbers.names { expected[name] = .int(form.expected?[name] ?? 0) }
        return [
            "confirm": .string(form.typedCode), "move_enrolments": .bool(form.follow == "yes"),
            "expected": .object(expected),
        ]
    }

    /// Adds the faults that the API names, at the fields that they concern.
    private static func add(_ problem: Problem, to faults: inout FormFaults, _ words: Words.Language) {
        if problem.faults.isEmpty { faults.add(ProblemText(problem, words).title, field: nil) }
        for fault in problem.faults {
            switch fault.pointer {
            case "/confirm": faults.add(words.text("publish", "fault_refused_code"), field: "code")
            case "/move_enrolments": faults.add(words.text("publish", "fault_follow"), field: "follow")
            default: faults.add(fault.detail, field: nil)
            }
        }
    }

    /// The address of the page that compares the preview with what happened.
    private static func address(of done: JSON, _ form: PublicationForm, _ study: String) -> String {
        let kind = done["kind"]?.string ?? ""
        let happened = PublicationNumbers(of: kind, effect: done["effect"], rescoring: done["rescoring"])
        let result = PublicationResult(
            kind: kind, edition: done["edition"]?.int, moved: done["moved"]?.int,
            remaining: done["remaining"]?.int ?? 0, isSuperseded: done["superseded_by"]?.string != nil,
            isPart: done["effect"]?["complete"]?.bool == false,
            expected: form.expected ?? happened, happened: happened)
        return result.address(VersionsPage.address(done["version"]?.string ?? "", of: study))
    }

    // MARK: The page

    private func page(
        _ draft: DraftToPublish, _ form: PublicationForm, _ faults: FormFaults, _ study: String,
        _ query: StaffQuery, _ request: PageRequest
    ) -> Reply {
        let words = request.words
        let view = draft.view
        var faults = faults
        // The visitor saw another revision than the one that would be published.
        let isStale = !form.revision.isEmpty && form.revision != String(draft.revision)
        if isStale { faults.add(draft.changed, field: nil) }
        var model = faults.model
        model["path"] = query.path
        model["draft"] = draft.visit.address.page
        if let library = view.library {
            model["library"] = library.merging(
                ["address": draft.visit.address.page("library"), "revision": String(draft.revision)],
                uniquingKeysWith: { $1 })
        }
        if request.call.query("notice") == "restored" {
            model["notice"] = request.words.text("versions", "restored")
        }
        if request.call.query("notice") == "library", view.library == nil {
            model["notice"] = words.text("publish", "notice_library")
        }
        model["problems"] = view.problems
        model["has_problems"] = !view.problems.isEmpty
        model["is_nothing"] = view.kind == "nothing" && view.problems.isEmpty
        model["name"] = view.name
        model["based_on"] =
            draft.visit.view.basedOn.map { words.text("publish", "based_on", ["version": $0]) } ?? ""
        model["difference"] = draft.difference.model
        if !view.effectSentences.isEmpty { model["effect"] = ["sentences": view.effectSentences] }
        let table = view.table("\(study)-publication", asOf: request.call.now)
        if !table.rows.isEmpty { model["table"] = table.model(query, words) }
        model["rescoring"] = view.rescoringSentences
        model["has_rescoring"] = !view.rescoringSentences.isEmpty
        if !draft.needed.isEmpty {
            model["raise"] = [
                "sentences": draft.needed.sentences(words, done: false), "revision": String(draft.revision),
                "versions": draft.visit.address.page("versions"),
            ]
        }
        if let raised = request.call.query("raised") {
            let sentences = RaisedVersions(query: raised).sentences(words, done: true)
            model["raised"] = [
                "sentences": sentences.isEmpty ? [words.text("raise", "none")] : sentences
            ]
        }
        if let seen = form.expected {
            let news = view.news(since: seen)
            if !news.isEmpty { model["news"] = ["sentences": news] }
        }
        if view.canPublish {
            model["form"] = formModel(view, draft, form, study, words)
            // Only the page for the password leads back with the revision that the visitor saw.
            model["returned"] = request.call.query("expected") != nil && faults.isEmpty
        }
        let visit = draft.visit
        model["steps"] = visit.steps("publish")
        return context.renderer.page(
            "staff_publish", title: words.text("publish", "title"), model, frame: visit.frame(isBelow: true),
            of: request, status: faults.status)
    }

    private func formModel(
        _ view: PublicationView, _ draft: DraftToPublish, _ form: PublicationForm, _ study: String,
        _ words: Words.Language
    ) -> [String: Any] {
        let enrolments = view.numbers["enrolments"]
        var model: [String: Any] = [
            "revision": String(draft.revision), "expected": view.numbers.text, "code": form.code,
            "code_hint": words.text("publish", "code_hint", ["study": study]),
            "warning": view.warning, "button": words.text("publish", "button", ["name": view.name]),
        ]
        if view.needsChoice {
            model["choice"] = [
                "options": ["yes", "no"].map { value -> [String: Any] in
                    [
                        "value": value, "checked": form.follow == value,
                        "title": words.text("publish", "follow_\(value)"),
                        "hint": words.counted("publish", "follow_\(value)_hint", enrolments),
                    ]
                }
            ]
        }
        return model
    }

    /// The page of a study without a draft.
    private func missing(_ study: String, _ request: PageRequest) async throws -> Reply {
        let model: [String: Any] = [
            "is_missing": true, "draft": DraftAddress(study: study).page,
            "versions": VersionsPage.address(study),
        ]
        return context.renderer.page(
            "staff_publish", title: request.words.text("publish", "title"), model,
            frame: try await DraftVisit.frame(below: study, request), of: request, status: .notFound)
    }
}

/// The draft of a study with what its publication would do.
private struct DraftToPublish {
    let visit: DraftVisit
    let view: PublicationView
    let difference: DifferenceView
    /// The versions that are published with other content.
    let needed: RaisedVersions

    /// - Throws: `not-permitted` or `not-found` if the visitor may not publish the study.
    /// - Returns: nil if the study has no draft.
    init?(of study: String, _ request: PageRequest) async throws {
        do {
            // The draft is read first: if it changes in between, the form has an old revision, and is refused.
            visit = try await DraftVisit(request)
            let path = visit.address.resource
            view = PublicationView(try await request.get("\(path)/preview"), request.words)
            difference = DifferenceView(try await request.get("\(path)/difference"), request.words)
            needed = try await RaisePage.needed(visit.address, request)
        } catch let problem as Problem where problem.type == .notFound {
            guard DraftVisit.isEditor(of: study, request) else { throw problem }
            return nil
        }
    }

    var revision: Int { visit.view.revision }

    /// Who changed the draft since the visitor saw it, and when.
    var changed: String {
        let words = visit.request.words
        let time = LocalTimeText(language: words.code, zone: "UTC")
        return words.text(
            "publish", "fault_stale",
            [
                "name": visit.view.changedBy ?? words.text("publish", "colleague"),
                "time": visit.view.changedAt.map { "\(time.dayAndTime($0)) UTC" } ?? "",
            ])
    }
}
