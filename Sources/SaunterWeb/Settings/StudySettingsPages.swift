import HTTPTypes
import SaunterCore
import SaunterServer

/// The page with the settings of the study that a questionnaire contains, such as the times of reminders. All items are
/// on one page, with the values that are in force.
struct StudySettingsPages: Sendable {
    let context: PageContext

    var form: Route {
        context.get("/my/{id}/settings/{questionnaire}") { request in
            var request = request
            let participant = try await request.participant()
            let settings = try await Self.settings(participant, request)
            return try await page(
                settings["values"]?.object ?? [:], sheet: AnswerForm.makeID(), settings, participant, request)
        }
    }

    /// The settings that are in force.
    /// - Throws: `not-found` if the questionnaire contains no settings.
    private static func settings(_ participant: Participant, _ request: PageRequest) async throws -> JSON {
        let code = try request.path("questionnaire")
        let all = try await request.get("\(participant.resource)/settings")["items"]?.array ?? []
        guard let found = all.first(where: { $0["questionnaire"]?.string == code }) else {
            throw Problem(.notFound)
        }
        return found
    }

    /// - Parameters:
    ///   - answers: the values in the form.
    ///   - sheet: the id of the sheet that the form becomes.
    private func page(
        _ answers: JSONObject, sheet: String, _ settings: JSON, _ participant: Participant,
        _ request: PageRequest, faults: [Fault] = []
    ) async throws -> Reply {
        let asked = try await form(of: settings, participant)
        let items = asked.structure["item"]?.array ?? []
        let texts = FaultTexts(items, words: request.words)
        let zone = participant.zone
        let model = QuestionModel(
            words: request.words, answers: answers, reasons: [:],
            state: asked.state(
                answers: answers, reasons: [:], today: zone.local(of: request.call.now).date, permitting: []),
            faults: texts.byPointer(faults), permittedKinds: [], zone: zone)
        var values: [String: Any] = [
            "items": model.items(items), "sheet_id": sheet, "home": participant.home,
            "started_at": request.call.now.description, "has_errors": !faults.isEmpty,
            "errors": texts.summary(faults),
        ]
        values["description"] = asked.structure["description"]?.string
        let title = settings["title"]?.string ?? ""
        return context.renderer.page(
            "own_settings",
            title: faults.isEmpty ? title : "\(request.words.text("errors", "prefix")) \(title)", values,
            frame: participant.frame(
                request.words, current: "/more", back: "\(participant.home)/settings"),
            of: request, status: faults.isEmpty ? .ok : .unprocessableContent)
    }

    private func form(of settings: JSON, _ participant: Participant) async throws -> QuestionnaireForm {
        try await context.server.questionnaireForm(
            settings["questionnaire"]?.string ?? "", version: settings["version"]?.string ?? "",
            of: participant.id)
    }

    /// Stores the values as a new answer sheet. With a fault, nothing changes.
    var send: Route {
        context.post("/my/{id}/settings/{questionnaire}") { request in
            var request = request
            let participant = try await request.participant()
            let settings = try await Self.settings(participant, request)
            let asked = try await form(of: settings, participant)
            let zone = participant.zone
            let read = AnswerFields(
                asked.structure["item"]?.array ?? [], request.call.body.object ?? [:], zone: zone)
            let now = request.call.now
            let id = request.field("sheet_id")
            let sheet = SheetID(id) == nil ? AnswerForm.makeID() : id
            let started = Instant(request.field("started_at")).map { min($0, now) } ?? now
            do {
                try await request.send(
                    .put, "\(participant.resource)/answer-sheets/\(sheet)",
                    [
                        "questionnaire": settings["questionnaire"] ?? .null,
                        "version": settings["version"] ?? .null,
                        "started_at": .string(started.description), "completed_at": .string(now.description),
                        "client_now": .string(now.description), "time_zone": .string(zone.id),
                        "answers": .object(read.answers),
                    ])
            } catch let problem as Problem where problem.type == .answerSheetInvalid {
                return try await page(
                    read.answers, sheet: sheet, settings, participant, request, faults: problem.faults)
            }
            return PageRenderer.redirect("\(participant.home)/settings?saved=1")
        }
    }
}
