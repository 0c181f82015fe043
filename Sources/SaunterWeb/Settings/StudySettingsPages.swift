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
        let asked = try await form(of: settings, participant, at: request.call.now)
        let items = asked.structure["item"]?.array ?? []
        let texts = FaultTexts(items, words: request.words)
        let zone = participant.zone
        let model = QuestionModel(
            words: request.words, answers: answers, reasons: [:],
            state: asked.state(
                answers: answers, reasons: [:], today: zone.local(of: request.call.now).date, permitting: []),
            faults: texts.byPointer(faults), permittedKinds: [], zone: zone, now: request.call.now)
        var values: [String: Any] = [
            "items": model.items(items), "sheet_id": sheet, "home": participant.home,
            "started_at": request.call.now.description, "has_errors": !faults.isEmpty,
            "errors": texts.summary(faults),
        ]
        values["description"] = asked.structure["description"]?.string
        values["colours"] = colours(items, participant, request)
        return context.renderer.page(
            "own_settings", title: settings["title"]?.string ?? "", values,
            frame: participant.frame(
                request.words, current: "/more", back: "\(participant.home)/settings",
                modules: values["colours"] == nil ? [] : ["preview"]),
            of: request, status: faults.isEmpty ? .ok : .unprocessableContent)
    }

    /// The field that chooses the colours of the pages, and for each of its values the style sheet and the mode, as
    /// JSON for the script that previews them. Nil if the form has no such field.
    private func colours(
        _ items: [JSON], _ participant: Participant, _ request: PageRequest
    ) -> [String: String]? {
        guard let linkId = participant.study["brand"]?["scheme"]?.string,
            let item = items.first(where: { $0["linkId"]?.string == linkId })
        else { return nil }
        var looks = JSONObject()
        for value in (item["answerOption"]?.array ?? []).compactMap({ $0["value"]?.string }) {
            let frame = participant.choosing(scheme: value).frame(request.words, current: "/more")
            let mode = frame.mode ?? Appearance(of: request.call.headers).rawValue
            looks[value] = [
                "css": .optional(frame.look?.styleSheet, JSON.string), "mode": .string(mode),
            ]
        }
        return ["field": AnswerFields.name("", linkId), "looks": JSON.object(looks).text]
    }

    /// Asks whether to store the changed values. The page has the colours that the participant has chosen.
    private func confirmation(
        of rows: [[String: Any]], _ answers: JSONObject, _ participant: Participant, _ request: PageRequest
    ) -> Reply {
        let scheme = participant.study["brand"]?["scheme"]?.string.flatMap { answers[$0]?.string }
        let fields = (request.call.body.object ?? [:]).filter { $0.name != "confirmed" }
        return context.renderer.page(
            "settings_confirm", title: request.words.text("settings", "change_title"),
            [
                "rows": rows, "home": participant.home,
                "fields": fields.map { ["name": $0.name, "value": $0.value.string ?? ""] },
            ],
            frame: participant.choosing(scheme: scheme ?? participant.scheme).frame(
                request.words, current: "/more", back: request.target),
            of: request)
    }

    /// The questions whose answers differ from the values in force, with both answers in words.
    private func changes(
        _ answers: JSONObject, _ settings: JSON, _ items: [JSON], _ participant: Participant,
        _ request: PageRequest
    ) -> [[String: Any]] {
        let summary = AnswerSummary(
            items, words: request.words, zone: participant.zone, now: request.call.now)
        let before = summary.rows(settings["values"]?.object ?? [:], [:])
        let after = summary.rows(answers, [:])
        return after.enumerated().compactMap { position, row in
            var row = row
            let isKnown = before.count == after.count
            let former = isKnown ? before[position]["answer"] as? String : nil
            guard former != row["answer"] as? String else { return nil }
            row["before"] = former.map { request.words.text("settings", "before", ["value": $0]) }
            return row
        }
    }

    private func form(
        of settings: JSON, _ participant: Participant, at now: Instant
    ) async throws -> QuestionnaireForm {
        try await context.server.questionnaireForm(
            settings["questionnaire"]?.string ?? "", version: settings["version"]?.string ?? "",
            of: participant.id, at: now)
    }

    /// Stores the values as a new answer sheet. With a fault, nothing changes. Changed values need a confirmation.
    var send: Route {
        context.post("/my/{id}/settings/{questionnaire}") { request in
            var request = request
            let participant = try await request.participant()
            let settings = try await Self.settings(participant, request)
            let asked = try await form(of: settings, participant, at: request.call.now)
            let zone = participant.zone
            let items = asked.structure["item"]?.array ?? []
            let read = AnswerFields(items, request.call.body.object ?? [:], zone: zone)
            let now = request.call.now
            let id = request.field("sheet_id")
            let sheet = SheetID(id) == nil ? AnswerForm.makeID() : id
            let started = Instant(request.field("started_at")).map { min($0, now) } ?? now
            let faults = asked.faults(
                answers: read.answers, reasons: [:], today: zone.local(of: now).date, permitting: [])
            let changes = changes(read.answers, settings, items, participant, request)
            if faults.isEmpty, !changes.isEmpty, request.field("confirmed").isEmpty {
                return confirmation(of: changes, read.answers, participant, request)
            }
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
