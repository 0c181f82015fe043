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
        context.get("/my/{id}/o/{occasion}") { request in
            var request = request
            let participant = try await request.participant()
            let occasion = try request.path("occasion")
            guard let found = try await find(occasion, participant, request) else {
                return closedPage(participant, request, nil)
            }
            let state = found["state"]?.string
            guard state == "open" || state == "overdue" else {
                return closedPage(participant, request, found)
            }
            return try await document(
                AnswerForm(occasion: occasion, questionnaire: found["questionnaire"]?.string ?? ""),
                participant,
                request)
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
        context.post("/my/{id}/o/{occasion}", limit: 1024 * 1024) { request in
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

    /// The occasion with this id; nil if there is none.
    private func find(_ occasion: String, _ participant: Participant, _ request: PageRequest) async throws
        -> JSON?
    {
        var query: String? = "limit=1000"
        while let current = query {
            let page = try await request.get("\(participant.resource)/occasions", query: current)
            if let found = page["items"]?.array?.first(where: { $0["occasion_id"]?.string == occasion }) {
                return found
            }
            query = page["next"]?.string.flatMap { next in
                next.firstIndex(of: "?").map { String(next[next.index(after: $0)...]) }
            }
        }
        return nil
    }

    private func document(
        _ form: AnswerForm, _ participant: Participant, _ request: PageRequest,
        faults: [Fault] = [], notice: String? = nil
    ) async throws -> Reply {
        let questionnaire = try await request.get(
            "\(participant.resource)/questionnaires/\(PageAddress.encode(form.questionnaire))")
        let items = questionnaire["item"]?.array ?? []
        let read = AnswerFields(items, form.fields)
        let answers = form.isNew ? form.initialAnswers(of: items) : read.answers
        let today = localDate(participant, request)
        let state = try await context.server.formState(
            of: form.questionnaire, in: participant.enrolment["study"]?.string ?? "",
            version: participant.enrolment["study_version"]?.string ?? "", answers: answers, today: today)
        let texts = FaultTexts(items, words: request.words)
        let model = QuestionModel(
            words: request.words, answers: answers, reasons: read.reasons, state: state,
            faults: texts.byPointer(faults),
            permittedKinds: Set(
                (participant.enrolment["data_kinds"]?.object ?? [:]).filter { !$0.value.isNull }.map(\.name)))
        var values: [String: Any] = [
            "items": model.items(items), "sheet_id": form.sheet,
            "version": questionnaire["version"]?.string ?? "",
            "started_at": form.startedAt ?? request.call.now.description,
            "questionnaire": form.questionnaire, "shown": state.shown.sorted().joined(separator: " "),
            "rules": Self.rules(items),
            "time_zone": participant.enrolment["time_zone"]?.string ?? "UTC", "home": participant.home,
            "has_errors": !faults.isEmpty, "errors": texts.summary(faults),
        ]
        values["description"] = questionnaire["description"]?.string
        values["copyright"] = questionnaire["copyright"]?.string
        values["occasion_id"] = form.occasion
        values["refers_to"] = form.refersTo
        values["revision_of"] = form.revisedTag
        values["notice"] = notice
        let title = questionnaire["title"]?.string ?? form.questionnaire
        return context.renderer.page(
            "answer", title: faults.isEmpty ? title : "\(request.words.text("errors", "prefix")) \(title)",
            values,
            frame: participant.frame(
                request.words, current: "-", back: participant.home, modules: ["answer"]),
            of: request, status: faults.isEmpty ? .ok : .unprocessableContent)
    }

    /// The items as JSON for the script of the page. `<` is escaped, so that no text can end the element.
    private static func rules(_ items: [JSON]) -> String {
        JSON.array(items).text.replacing("<", with: "\\u003c")
    }

    private func localDate(_ participant: Participant, _ request: PageRequest) -> LocalDate {
        let zone = Zone(participant.enrolment["time_zone"]?.string ?? "") ?? .utc
        return zone.local(of: request.call.now).date
    }

    // MARK: - Submitting

    /// Submits a sheet. If the answers show items that the participant has not seen, the document is shown again.
    private func send(_ form: AnswerForm, _ participant: Participant, _ request: PageRequest) async throws
        -> Reply
    {
        let questionnaire = try await request.get(
            "\(participant.resource)/questionnaires/\(PageAddress.encode(form.questionnaire))")
        let read = AnswerFields(questionnaire["item"]?.array ?? [], form.fields)
        let state = try await context.server.formState(
            of: form.questionnaire, in: participant.enrolment["study"]?.string ?? "",
            version: participant.enrolment["study_version"]?.string ?? "", answers: read.answers,
            today: localDate(participant, request))
        if let group = form.grownGroup {
            var grown = form
            grown.grow(group)
            return try await document(grown, participant, request)
        }
        guard state.shown.isSubset(of: form.seen) else {
            return try await document(
                form, participant, request, notice: request.words.text("answer", "new_questions"))
        }
        do {
            if let tag = form.revisedTag {
                try await correct(form, read, tag, state, questionnaire, participant, request)
            } else {
                try await request.send(
                    .put, "\(participant.resource)/answer-sheets/\(PageAddress.encode(form.sheet))",
                    form.body(
                        read, zone: participant.enrolment["time_zone"]?.string ?? "UTC", now: request.call.now
                    ))
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
            let questionnaire = try await request.get(
                "\(participant.resource)/questionnaires/\(sheet["questionnaire"]?.string ?? "")")
            let model = SheetModel(
                sheet, questionnaire, participant, words: request.words, now: request.call.now)
            return context.renderer.page(
                "sheet", title: questionnaire["title"]?.string ?? "",
                model.values(isNew: request.call.query("new") != nil),
                frame: participant.frame(
                    request.words, current: "/entries",
                    back: request.call.query("new") == nil ? "\(participant.home)/entries" : participant.home),
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
        _ form: AnswerForm, _ read: AnswerFields, _ tag: String, _ state: FormState, _ questionnaire: JSON,
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
    private static func questions(_ items: [JSON]) -> [String] {
        items.flatMap { item -> [String] in
            let type = item["type"]?.string
            if type == "display" || item["readOnly"]?.bool == true || item["hidden"]?.bool == true {
                return []
            }
            if type == "group", item["repeats"]?.bool != true { return questions(item["item"]?.array ?? []) }
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
    private func closedPage(_ participant: Participant, _ request: PageRequest, _ occasion: JSON?) -> Reply {
        let time = LocalTimeText(
            language: request.words.code, zone: participant.enrolment["time_zone"]?.string ?? "")
        let words = request.words
        let text: String
        switch occasion?["state"]?.string {
        case "completed_on_time", "completed_late": text = words.text("answer", "already_answered")
        case "upcoming":
            text = words.text(
                "answer", "opens",
                ["time": occasion?["opens_at"]?.instant.map { time.short($0, now: request.call.now) } ?? ""])
        case "missed":
            text = words.text(
                "answer", "closed",
                ["time": occasion?["closes_at"]?.instant.map { time.short($0, now: request.call.now) } ?? ""])
        case nil: text = words.text("answer", "unknown")
        default: text = words.text("answer", "not_open")
        }
        var model: [String: Any] = ["text": text, "home": participant.home]
        if let sheet = occasion?["sheet_id"]?.string {
            model["sheet"] = "\(participant.home)/sheets/\(sheet)"
        }
        return context.renderer.page(
            "closed", title: words.text("answer", "closed_title"), model,
            frame: participant.frame(words, current: "-", back: participant.home), of: request,
            status: occasion == nil ? .notFound : .ok)
    }
}
