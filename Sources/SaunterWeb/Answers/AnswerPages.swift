import Foundation
import HTTPTypes
import SaunterCore
import SaunterServer

/// The pages to answer a questionnaire, read what was answered, correct it and delete it.
struct AnswerPages: Sendable {
    let context: PageContext

    // MARK: - The question document

    /// A planned questionnaire.
    var occasion: Route {
        context.get("/my/{id}/o/{occasion}", query: ["late"]) { request in
            var request = request
            let participant = try await request.participant()
            let occasion = try request.path("occasion")
            let found = try await find(occasion, participant, request)
            let state = found.occasion?["state"]?.string
            let isOpen = state == "open" || state == "overdue"
            let isLate = state == "missed" && request.call.query("late") != nil
            guard let asked = found.occasion, isOpen || isLate else {
                return closedPage(participant, request, found.occasion, next: found.next)
            }
            let form = AnswerForm(occasion: occasion, questionnaire: asked["questionnaire"]?.string ?? "")
            return try await document(
                form, participant, request, notice: isLate ? closed(asked, participant, request) : nil,
                closesAt: isOpen ? asked["closes_at"]?.instant : nil, next: found.next)
        }
    }

    /// A questionnaire that can be answered at any time.
    var entry: Route {
        context.get("/my/{id}/q/{questionnaire}", query: ["refers_to"]) { request in
            var request = request
            let participant = try await request.participant()
            return try await document(
                AnswerForm(
                    questionnaire: try request.path("questionnaire"),
                    refersTo: request.call.query("refers_to")), participant, request)
        }
    }

    var sendOccasion: Route {
        context.post("/my/{id}/o/{occasion}", query: ["late"], limit: 1024 * 1024) { request in
            var request = request
            let participant = try await request.participant()
            return try await send(
                AnswerForm(request, occasion: try request.path("occasion")), participant, request)
        }
    }

    var sendEntry: Route {
        context.post("/my/{id}/q/{questionnaire}", query: ["refers_to"], limit: 1024 * 1024) { request in
            var request = request
            let participant = try await request.participant()
            return try await send(AnswerForm(request, occasion: nil), participant, request)
        }
    }

    /// The occasion with this id, and when the next one of its questionnaire opens; nil if there is none.
    private func find(_ occasion: String, _ participant: Participant, _ request: PageRequest) async throws
        -> (occasion: JSON?, next: Instant?)
    {
        let all = try await request.list("\(participant.resource)/occasions", query: "limit=1000")
        guard let found = all.first(where: { $0["occasion_id"]?.string == occasion }) else {
            return (nil, nil)
        }
        let next = all.filter { $0["questionnaire"] == found["questionnaire"] }
            .compactMap { $0["opens_at"]?.instant }.filter { $0 > request.call.now }.min()
        return (found, next)
    }

    /// The questionnaire in the version that the participant began to answer; for a new document in the version that
    /// the study asks now.
    private func questionnaire(
        of form: AnswerForm, _ participant: Participant, _ request: PageRequest
    ) async throws -> QuestionnaireForm {
        var version = form.version
        if version == nil {
            version = try await request.get(
                "\(participant.resource)/questionnaires/\(PageAddress.encode(form.questionnaire))")[
                    "version"]?
                .string
        }
        return try await context.server.questionnaireForm(
            form.questionnaire, version: version ?? "", of: participant.id, at: request.call.now)
    }

    /// - Parameters:
    ///   - closesAt: when the window of the occasion closes; nil without a window, or after it.
    ///   - next: when the next window of the questionnaire opens.
    private func document(
        _ form: AnswerForm, _ participant: Participant, _ request: PageRequest,
        faults: [Fault] = [], notice: String? = nil, closesAt: Instant? = nil, next: Instant? = nil
    ) async throws -> Reply {
        let asked: QuestionnaireForm
        do {
            asked = try await questionnaire(of: form, participant, request)
            guard !asked.isLocked else { throw Problem(.entitlementRequired) }
        } catch let problem as Problem where problem.type == .entitlementRequired {
            return try await PlanPages(context: context).locked(form.questionnaire, participant, request)
        }
        let document = QuestionDocument(
            form, asked, participant, request.words, now: request.call.now)
        var values = document.values(faults: faults, notice: notice)
        let programmes = try await context.server.programmes(with: form.questionnaire, of: participant.id)
        let back = programmes.map { practiceHome($0, participant, request) } ?? participant.home
        values["practice"] = programmes != nil
        // A practice that waits on the device is shown in its programme.
        if programmes != nil, !document.mayAlert { values["waiting"] = back }
        if let closesAt {
            values["closing"] = [
                "at": closesAt.description,
                "text": closing(at: closesAt, next: next, participant, request),
            ]
        }
        var frame = participant.frame(
            request.words, current: "-", back: back, modules: ["answer"])
        if !document.needsRareStyles { frame.styles = [] }
        return context.renderer.page(
            "answer", title: document.title, values, frame: frame, of: request,
            status: faults.isEmpty ? .ok : .unprocessableContent)
    }

    /// The page that a practice leads back to: its programme; the list if it is in several or in none.
    private func practiceHome(
        _ programmes: [String], _ participant: Participant, _ request: PageRequest
    ) -> String {
        guard programmes.count == 1 else { return participant.home + ProgrammePages.path }
        return ProgrammeModel(participant, words: request.words, now: request.call.now)
            .address(of: programmes[0])
    }

    /// What the page says at the moment when the window closes.
    private func closing(
        at instant: Instant, next: Instant?, _ participant: Participant, _ request: PageRequest
    ) -> String {
        let time = participant.time(request.words)
        return [
            request.words.text("answer", "closed", ["time": time.short(instant, now: instant)]),
            next.map { request.words.text("answer", "next", ["time": time.short($0, now: instant)]) },
            request.words.text("answer", "closed_draft"),
        ].compactMap(\.self).joined(separator: " ")
    }

    /// When the window of an occasion closed, and that the answers can still be sent.
    private func closed(_ occasion: JSON, _ participant: Participant, _ request: PageRequest) -> String {
        closing(
            at: occasion["closes_at"]?.instant ?? request.call.now, next: nil, participant, request)
    }

    // MARK: - Submitting

    /// Submits a sheet. If the answers show items that the participant has not seen, the document is shown again.
    private func send(_ form: AnswerForm, _ participant: Participant, _ request: PageRequest) async throws
        -> Reply
    {
        if form.changesInstances {
            var changed = form
            changed.removeInstance()
            return try await document(changed, participant, request)
        }
        let asked = try await questionnaire(of: form, participant, request)
        let zone = participant.zone
        let read = AnswerFields(asked.structure["item"]?.array ?? [], form.fields, zone: zone)
        let state = asked.state(
            answers: read.answers, reasons: read.reasons, today: zone.local(of: request.call.now).date,
            permitting: participant.permittedKinds)
        guard state.shown.isSubset(of: form.seen) else {
            return try await document(
                form, participant, request, notice: request.words.text("answer", "new_questions"))
        }
        do {
            if let tag = form.revisedTag {
                try await correct(form, read, tag, asked.structure, participant, request)
            } else {
                try await request.send(
                    .put, "\(participant.resource)/answer-sheets/\(PageAddress.encode(form.sheet))",
                    form.body(read, zone: zone.id, now: request.call.now))
            }
        } catch let problem as Problem where problem.type.status == 422 && !problem.faults.isEmpty {
            return try await document(form, participant, request, faults: problem.faults)
        }
        return PageRenderer.redirect("\(participant.home)/sheets/\(PageAddress.encode(form.sheet))?new=1")
    }

    // MARK: - A stored sheet

    /// What was submitted, with the scores that the study shows, and what the study says about it.
    var sheet: Route {
        context.get("/my/{id}/sheets/{sheet}", query: ["new"]) { request in
            var request = request
            let participant = try await request.participant()
            let sheet = try await request.get(
                "\(participant.resource)/answer-sheets/\(PageAddress.encode(try request.path("sheet")))")
            let code = sheet["questionnaire"]?.string ?? ""
            let form = try await context.server.questionnaireForm(
                code, version: sheet["version"]?.string ?? "", of: participant.id, at: request.call.now)
            let questionnaire = form.structure
            let isNew = request.call.query("new") != nil
            let feedback =
                isNew
                ? try await context.server.feedback(after: code, of: participant.id, at: request.call.now)
                : []
            var values = SheetModel(
                sheet, questionnaire, feedback: feedback, isLocked: form.isLocked, participant,
                words: request.words, now: request.call.now
            ).values(isNew: isNew)
            if isNew {
                values["end"] = try await PracticeEnd.values(after: sheet, participant, request, context)
            }
            return context.renderer.page(
                "sheet", title: questionnaire["title"]?.string ?? "", values,
                frame: participant.frame(
                    request.words, current: "/entries?questionnaire=\(code)",
                    back: isNew ? participant.home : "\(participant.home)/entries"),
                of: request)
        }
    }

    /// The document of a stored sheet, to correct it.
    var edit: Route {
        context.get("/my/{id}/sheets/{sheet}/edit") { request in
            var request = request
            let participant = try await request.participant()
            let path =
                "\(participant.resource)/answer-sheets/\(PageAddress.encode(try request.path("sheet")))"
            let stored = try await request.send(.get, path)
            let form = AnswerForm(correcting: stored.json, tag: stored.entityTag ?? "")
            return try await document(form, participant, request)
        }
    }

    var sendEdit: Route {
        context.post("/my/{id}/sheets/{sheet}/edit", limit: 1024 * 1024) { request in
            var request = request
            let participant = try await request.participant()
            return try await send(AnswerForm(request, occasion: nil), participant, request)
        }
    }

    /// Sends the answers of the document as a correction: an item without an answer loses the stored one.
    private func correct(
        _ form: AnswerForm, _ read: AnswerFields, _ tag: String, _ questionnaire: JSON,
        _ participant: Participant, _ request: PageRequest
    ) async throws {
        var answers = read.answers
        for linkId in Self.questions(questionnaire["item"]?.array ?? []) where answers[linkId] == nil {
            answers[linkId] = .null
        }
        var body: JSONObject = ["answers": .object(answers)]
        if !read.reasons.isEmpty { body["reasons"] = .object(read.reasons) }
        do {
            try await request.send(
                .patch, "\(participant.resource)/answer-sheets/\(PageAddress.encode(form.sheet))",
                .object(body),
                headers: tag.isEmpty ? [:] : [.ifMatch: tag])
        } catch let problem as Problem where problem.type == .preconditionFailed {
            throw Problem(.preconditionFailed, request.words.text("answer", "changed_elsewhere"))
        }
    }

    /// The linkIds of the questions that a participant can change, outside of repeating groups.
    static func questions(_ items: [JSON]) -> [String] {
        items.flatMap { item -> [String] in
            let type = item.itemType
            if type == .display || item["readOnly"]?.bool == true || item["hidden"]?.bool == true {
                return []
            }
            if type == .group, item["repeats"]?.bool != true { return questions(item["item"]?.array ?? []) }
            return item["linkId"]?.string.map { [$0] } ?? []
        }
    }

    /// Asks whether to delete a sheet.
    var delete: Route {
        context.get("/my/{id}/sheets/{sheet}/delete") { request in
            var request = request
            let participant = try await request.participant()
            let sheet = try request.path("sheet")
            return context.renderer.page(
                "sheet_delete", title: request.words.text("answer", "delete_title"), ["sheet": sheet],
                frame: participant.frame(
                    request.words, current: "/entries", back: "\(participant.home)/sheets/\(sheet)"),
                of: request)
        }
    }

    var sendDelete: Route {
        context.post("/my/{id}/sheets/{sheet}/delete") { request in
            var request = request
            let participant = try await request.participant()
            try await request.send(
                .delete,
                "\(participant.resource)/answer-sheets/\(PageAddress.encode(try request.path("sheet")))")
            return PageRenderer.redirect("\(participant.home)/entries?deleted=1")
        }
    }

    /// Says when a window closed or opens, and what comes next.
    private func closedPage(
        _ participant: Participant, _ request: PageRequest, _ occasion: JSON?, next: Instant?
    ) -> Reply {
        let words = request.words
        let time = participant.time(words)
        func at(_ name: String) -> [String: String] {
            ["time": occasion?[name]?.instant.map { time.short($0, now: request.call.now) } ?? ""]
        }
        var model: [String: Any] = ["home": participant.home]
        switch occasion?["state"]?.string {
        case "completed_on_time", "completed_late": model["text"] = words.text("answer", "already_answered")
        case "upcoming": model["text"] = words.text("answer", "opens", at("opens_at"))
        case "missed":
            model["text"] = words.text("answer", "closed", at("closes_at"))
            model["missed"] = true
        case nil: model["text"] = words.text("answer", "unknown")
        default: model["text"] = words.text("answer", "not_open")
        }
        model["next"] = next.map {
            words.text("answer", "next", ["time": time.short($0, now: request.call.now)])
        }
        if let sheet = occasion?["sheet_id"]?.string {
            model["sheet"] = "\(participant.home)/sheets/\(sheet)"
        }
        return context.renderer.page(
            "closed", title: words.text("answer", "closed_title"), model,
            frame: participant.frame(words, current: "-", back: participant.home, modules: ["closed"]),
            of: request, status: occasion == nil ? .notFound : .ok)
    }
}
