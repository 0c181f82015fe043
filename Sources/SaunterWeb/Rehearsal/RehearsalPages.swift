import Foundation
import HTTPTypes
import SaunterCore
import SaunterServer

/// The pages on which a member of a study team is a participant of the draft, or of a published version, at any moment.
/// They show the participant's pages with the data of `POST /v1/studies/{study}/draft/rehearsal`. Nothing is stored.
struct RehearsalPages: Sendable {
    private static let names = RehearsalForm.names

    let context: PageContext

    /// Today at the moment, the form with the clock, and the messages of the day.
    var today: Route {
        context.get("/staff/{study}/draft/try", query: Self.names) { request in
            _ = try request.requireIdentity()
            do {
                return try await reply(request) { rehearsal in
                    let participant = rehearsal.words(of: request)
                    return context.renderer.page(
                        "rehearsal_today", title: rehearsal.today(participant).heading,
                        rehearsal.todayModel(participant), frame: rehearsal.frame(modules: ["rehearsal"]),
                        of: participant)
                }
            } catch let problem as Problem where problem.type == .notFound {
                guard let live = try await liveVersion(request) else { throw problem }
                // Without a draft, the live version is shown.
                return PageRenderer.redirect("\(Self.address(try request.path("study")))?version=\(live)")
            }
        }
    }

    var occasion: Route {
        context.get("/staff/{study}/draft/try/o/{occasion}", query: Self.names) { request in
            _ = try request.requireIdentity()
            let occasion = try request.path("occasion")
            return try await reply(request) { rehearsal in
                guard let questionnaire = rehearsal.questionnaire(ofOpen: occasion) else {
                    return closed(rehearsal, request)
                }
                return try await document(
                    AnswerForm(occasion: occasion, questionnaire: questionnaire), rehearsal, request)
            }
        }
    }

    var sendOccasion: Route {
        context.post(
            "/staff/{study}/draft/try/o/{occasion}", query: Self.names, limit: 1024 * 1024
        ) { request in
            _ = try request.requireIdentity()
            let occasion = try request.path("occasion")
            return try await reply(request) { rehearsal in
                guard let questionnaire = rehearsal.questionnaire(ofOpen: occasion) else {
                    return closed(rehearsal, request)
                }
                return try await send(
                    AnswerForm(rehearsal.fields(request, of: questionnaire), occasion: occasion), rehearsal,
                    request)
            }
        }
    }

    var entry: Route {
        context.get("/staff/{study}/draft/try/q/{questionnaire}", query: Self.names) { request in
            _ = try request.requireIdentity()
            let form = AnswerForm(questionnaire: try request.path("questionnaire"))
            return try await reply(request) { try await document(form, $0, request) }
        }
    }

    var sendEntry: Route {
        context.post(
            "/staff/{study}/draft/try/q/{questionnaire}", query: Self.names, limit: 1024 * 1024
        ) { request in
            _ = try request.requireIdentity()
            let questionnaire = try request.path("questionnaire")
            return try await reply(request) { rehearsal in
                let fields = rehearsal.fields(request, of: questionnaire)
                return try await send(AnswerForm(fields, occasion: nil), rehearsal, request)
            }
        }
    }

    /// The address of Today.
    static func address(_ study: String) -> String { "\(PageAddress.staff(study))/draft/try" }

    // MARK: - The moment

    /// A page of the rehearsal at the moment of the address. A draft with faults has none: the page shows the faults.
    private func reply(
        _ request: PageRequest, _ page: (RehearsalView) async throws -> Reply
    ) async throws -> Reply {
        let rehearsal: RehearsalView
        do {
            rehearsal = try await view(request)
        } catch let problem as Problem where problem.type == .draftInvalid {
            let study = try request.path("study")
            return context.renderer.page(
                "staff_draft_faults", title: request.words.text("draft", "step_try"),
                ["invalid": DraftAddress(study: study).faults(problem)],
                frame: try await DraftVisit.frame(below: study, request), of: request,
                status: .unprocessableContent)
        }
        return try await page(rehearsal)
    }

    private func view(_ request: PageRequest) async throws -> RehearsalView {
        let study = try request.path("study")
        let path = "/v1/studies/\(PageAddress.encodePart(study))/draft/rehearsal"
        let value: (String) -> String? = { request.call.query($0) }
        let query = value("version").flatMap { $0.isEmpty ? nil : "version=\(PageAddress.encode($0))" }
        var zone = Zone.utc
        if value("zone") ?? "" == "" {
            // Only the study knows its zone.
            let now = JSON.string(request.call.now.description)
            let found = try await request.send(.post, path, query: query, ["enrolled_at": now, "at": now])
            zone = found.json["overview"]?["time_zone"]?.string.flatMap { Zone($0) } ?? .utc
        }
        let form = try RehearsalForm(value, zone: zone, now: request.call.now)
        let found = try await request.send(.post, path, query: query, form.body).json
        return RehearsalView(found, form, study: study, own: request.words)
    }

    /// The live version of the study; nil if it is not published.
    private func liveVersion(_ request: PageRequest) async throws -> String? {
        guard request.call.query("version") == nil else { return nil }
        let study = PageAddress.encodePart(try request.path("study"))
        return try await request.get("/v1/studies/\(study)")["version"]?.string.map(PageAddress.encode)
    }

    // MARK: - A questionnaire

    private func document(
        _ form: AnswerForm, _ rehearsal: RehearsalView, _ request: PageRequest, faults: [Fault] = [],
        notice: String? = nil
    ) async throws -> Reply {
        let participant = rehearsal.words(of: request)
        let document = try await questions(form, rehearsal, participant)
        var values = document.values(faults: faults, notice: notice)
        values.merge(rehearsal.banner) { $1 }
        values["conditions"] = rehearsal.conditions(document)
        var frame = rehearsal.frame()
        frame.back = rehearsal.home
        return context.renderer.page(
            "rehearsal_questions", title: document.title, values, frame: frame, of: participant,
            status: faults.isEmpty ? .ok : .unprocessableContent)
    }

    private func questions(
        _ form: AnswerForm, _ rehearsal: RehearsalView, _ request: PageRequest
    ) async throws -> QuestionDocument {
        let asked = try context.server.rehearsedForm(
            form.questionnaire,
            of: try await context.server.rehearsedStudy(
                rehearsal.study, version: rehearsal.form.version, for: try request.requireIdentity()),
            language: rehearsal.language,
            draftFile: { [address = DraftAddress(study: rehearsal.study)] in address.media($0) })
        return QuestionDocument(
            form, asked, rehearsal.participant, request.words, now: rehearsal.moment)
    }

    /// Judges the answers as the server judges those of participants. If they show items that the visitor has not seen,
    /// the document is shown again.
    private func send(
        _ form: AnswerForm, _ rehearsal: RehearsalView, _ request: PageRequest
    ) async throws -> Reply {
        if form.changesInstances {
            var changed = form
            changed.removeInstance()
            return try await document(changed, rehearsal, request)
        }
        let participant = rehearsal.words(of: request)
        let questions = try await questions(form, rehearsal, participant)
        guard questions.state.shown.isSubset(of: form.seen) else {
            return try await document(
                form, rehearsal, request, notice: participant.words.text("answer", "new_questions"))
        }
        let receipt: JSON
        do {
            let code = PageAddress.encodePart(form.questionnaire)
            receipt = try await request.send(
                .post,
                "/v1/studies/\(PageAddress.encodePart(rehearsal.study))/draft/questionnaires/\(code)/rehearsal",
                query: rehearsal.form.version.map { "version=\(PageAddress.encode($0))" },
                rehearsal.body(questions.read)
            ).json
        } catch let problem as Problem where problem.type == .answerSheetInvalid {
            return try await document(form, rehearsal, request, faults: problem.faults)
        }
        var frame = rehearsal.frame()
        frame.back = rehearsal.home
        return context.renderer.page(
            "rehearsal_receipt", title: questions.title,
            rehearsal.receiptModel(receipt, questions, form, participant), frame: frame, of: participant)
    }

    /// Says that the occasion cannot be answered at the moment.
    private func closed(_ rehearsal: RehearsalView, _ request: PageRequest) -> Reply {
        let participant = rehearsal.words(of: request)
        var values: [String: Any] = [
            "text": participant.words.text("answer", "not_open"), "home": rehearsal.home,
        ]
        values.merge(rehearsal.banner) { $1 }
        return context.renderer.page(
            "rehearsal_closed", title: participant.words.text("answer", "closed_title"), values,
            frame: rehearsal.frame(), of: participant)
    }
}
