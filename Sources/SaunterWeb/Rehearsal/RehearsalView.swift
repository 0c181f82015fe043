import Foundation
import SaunterCore
import SaunterServer

/// The response of `POST /v1/studies/{study}/draft/rehearsal` as its pages show it. The pages of the participant are in
/// the language of the rehearsal, and what surrounds them in that of the visitor.
struct RehearsalView {
    private let found: JSON
    let form: RehearsalForm
    /// The code of the study.
    let study: String
    /// The words of the visitor.
    private let own: Words.Language

    init(_ found: JSON, _ form: RehearsalForm, study: String, own: Words.Language) {
        self.found = found
        self.form = form
        self.study = study
        self.own = own
    }

    private var path: String { RehearsalPages.address(study) }
    private var overview: JSON { found["overview"] ?? [:] }
    private var isDraft: Bool { found["draft"]?.bool ?? true }

    /// The address of Today at the moment.
    var home: String { form.address(path) }
    var language: String { found["language"]?.string ?? "" }
    /// The moment that the pages show.
    var moment: Instant { found["at"]?.instant ?? form.moment }

    /// The request with the words of the participant's language.
    func words(of request: PageRequest) -> PageRequest {
        var request = request
        request.speak(language)
        return request
    }

    /// The made-up participant.
    var participant: Participant {
        let kinds = (found["permitted_kinds"]?.array ?? []).compactMap(\.string)
        return Participant(
            id: "rehearsal",
            enrolment: [
                "status": "active", "time_zone": .string(form.zone.id), "language": .string(language),
                "data_kinds": .object(JSONObject(kinds.map { .init(name: $0, value: [:]) })),
            ],
            study: [
                "study": .string(study), "title": found["title"] ?? "", "days": found["days"] ?? 0,
                "brand": found["brand"] ?? .null,
            ], rehearsalHome: path)
    }

    func frame(modules: [String] = []) -> PageFrame {
        var look = StudyLook(["brand": found["brand"] ?? .null])
        // The server has no address for the icon of a draft.
        if isDraft { look = StudyLook(["brand": ["accent": found["brand"]?["accent"] ?? .null]]) }
        return PageFrame(
            studyTitle: found["title"]?.string, home: home, isLoggedIn: true, modules: modules, look: look)
    }

    // MARK: - The banner

    /// What every page of a rehearsal says.
    var banner: [String: Any] {
        let version = found["version"]?.string ?? ""
        return [
            "own_language": own.code,
            "rehearsal": [
                "text": say(isDraft ? "banner_draft" : "banner_version", ["version": version]),
                "moment": momentText, "leave": leaveAddress, "today": home, "language": own.code,
                "direction": own.direction, "leave_text": say(isDraft ? "to_draft" : "to_study"),
                "back_text": say("to_today"),
            ],
        ]
    }

    private var leaveAddress: String {
        isDraft ? "\(PageAddress.staff(study))/draft" : PageAddress.staff(study)
    }

    /// "Day 3, Tue 24 Nov 2026, 18:30, Europe/Berlin".
    private var momentText: String {
        let time = LocalTimeText(language: own.code, zone: form.zone.id)
        let text = say(
            "moment",
            [
                "day": String(found["day"]?.int ?? 0),
                // The year is always written.
                "time": time.dayAndTime(moment, now: Instant(milliseconds: 0)),
                "zone": form.zone.id,
            ])
        guard let phase = found["phase"]?.string else { return text }
        return "\(text) \(say("phase", ["phase": phase]))"
    }

    // MARK: - Today

    func today(_ request: PageRequest) -> TodayModel {
        let date = overview["local_date"]?.string
        let sheets = (found["sheets"]?.array ?? []).filter { sheet in
            sheet["completed_at"]?.instant.map { form.zone.local(of: $0).date.description } == date
        }
        return TodayModel(
            overview, sheets: ["items": .array(sheets)], participant, words: request.words, now: moment)
    }

    func todayModel(_ request: PageRequest) -> [String: Any] {
        var model = today(request).values
        model.merge(banner) { $1 }
        // Each address keeps the moment. There are no pages for what was answered.
        for section in ["due", "any_time"] {
            model[section] = (model[section] as? [[String: Any]] ?? []).map { card in
                var card = card
                card["address"] = (card["address"] as? String).map { form.address($0) as Any } ?? false
                return card
            }
        }
        model["done"] = (model["done"] as? [[String: Any]] ?? []).map { done in
            done.merging(["address": false]) { $1 }
        }
        // A made-up participant has nothing to read, to export or to erase.
        if let over = model["over"] as? [String: Any] {
            model["over"] = over.merging(["export": false]) { $1 }
        }
        if let banner = model["rehearsal"] as? [String: Any] {
            model["rehearsal"] = banner.merging(["today": false]) { $1 }
        }
        model["clock"] = clock
        model["day_messages"] = messages
        model["has_day_messages"] = !messages.isEmpty
        model["remarks"] = remarks
        return model
    }

    /// The form.
    private var clock: [String: Any] {
        let days = found["days"]?.int ?? 0
        let arms = found["arms"]?.array ?? []
        let day = form.day
        var model: [String: Any] = [
            "path": path, "own_language": own.code, "direction": own.direction,
            "words": own.texts["rehearsal"] ?? [:], "day": day, "last_day": max(days + 1, day),
            "time": form.time.description, "enrolled": "\(form.enrolledOn)T\(form.enrolledTime)",
            "zones": EnrolmentChoices.zones(selected: form.zone.id),
            "languages": EnrolmentChoices.languages(of: found, selected: language),
            "has_arms": arms.count > 1,
            "arms": arms.map { arm -> [String: Any] in
                let code = arm["arm"]?.string ?? ""
                let title = arm["title"]?.string ?? code
                return [
                    "code": code, "title": title == code ? code : "\(title) (\(code))",
                    "selected": code == found["arm"]?.string,
                ]
            },
            "kept": form.fields.filter { ["version", "answered"].contains($0.name) }.map {
                ["name": $0.name, "value": $0.value]
            },
        ]
        if day <= days { model["next"] = form.address(path, ["day": String(day + 1)]) }
        if day > 0 { model["previous"] = form.address(path, ["day": String(day - 1)]) }
        if !form.answers.isEmpty { model["forget"] = form.address(path, ["answered": ""]) }
        return model
    }

    /// The messages of the day with their texts.
    private var messages: [[String: Any]] {
        let time = LocalTimeText(language: own.code, zone: form.zone.id)
        return (found["messages"]?.array ?? []).map { message in
            let at = message["at"]?.instant ?? moment
            return [
                "at": at.description, "clock_time": time.time(at), "subject": message["title"]?.string ?? "",
                "body": message["text"]?.string ?? "", "body_language": language,
                "state": say(at <= moment ? "message_sent" : "message_later"),
            ]
        }
    }

    /// What the rehearsal does not show.
    private var remarks: [String] {
        var remarks: [String] = []
        if overview["walk"]?["reason"]?.string != "not_in_study" { remarks.append(say("no_walks")) }
        if found["decision_rules"]?.int ?? 0 > 0 { remarks.append(say("no_rules")) }
        if form.answers.count == RehearsalForm.maximumAnswers {
            remarks.append(say("answers_limit", ["count": String(RehearsalForm.maximumAnswers)]))
        }
        return remarks
    }

    // MARK: - A questionnaire

    /// The questionnaire of an occasion that can be answered at the moment; nil for another one.
    func questionnaire(ofOpen occasion: String) -> String? {
        let items = found["occasions"]?["items"]?.array ?? []
        let item = items.first { $0["occasion_id"]?.string == occasion }
        guard let item, ["open", "overdue"].contains(item["state"]?.string) else { return nil }
        return item["questionnaire"]?.string
    }

    /// Says that answers can make further questions appear; nil if the document shows all questions.
    func conditions(_ questions: QuestionDocument) -> String? {
        questions.hidesQuestions ? say("conditions") : nil
    }

    /// The fields that were sent, for the questionnaire in the address.
    func fields(_ request: PageRequest, of questionnaire: String) -> JSONObject {
        var fields = request.call.body.object ?? [:]
        fields["questionnaire"] = .string(questionnaire)
        return fields
    }

    /// The body for `POST …/draft/questionnaires/{code}/rehearsal`.
    func body(_ read: AnswerFields) -> JSON {
        var body: JSONObject = [
            "answers": .object(read.answers), "reasons": .object(read.reasons),
            "completed_at": .string(moment.description), "time_zone": .string(form.zone.id),
            "language": .string(language),
        ]
        body["arm"] = found["arm"]?.string.map(JSON.string)
        return .object(body)
    }

    /// What a participant would see after sending the answers.
    func receiptModel(
        _ receipt: JSON, _ questions: QuestionDocument, _ answered: AnswerForm, _ request: PageRequest
    ) -> [String: Any] {
        let cleared = Set((receipt["cleared"]?.array ?? []).compactMap(\.string))
        let answers = questions.read.answers.filter { !cleared.contains($0.name) }
        let sheet: JSON = [
            "questionnaire": .string(answered.questionnaire), "answers": .object(JSONObject(answers)),
            "reasons": .object(questions.reasonsOfBlanks), "scores": receipt["scores"] ?? [],
            "completed_at": .string(moment.description),
        ]
        var model = SheetModel(
            sheet, questions.questionnaire, feedback: [], participant, words: request.words, now: moment
        ).values(isNew: false)
        model["may_edit"] = false
        model["may_delete"] = false
        model["not_stored"] = say("nothing_stored")
        model["no_scores"] = model["has_scores"] as? Bool == true ? nil : say("no_scores")
        var banner = self.banner
        if var rehearsal = banner["rehearsal"] as? [String: Any] {
            let subject = answered.occasion ?? answered.questionnaire
            rehearsal["today"] = form.answering(subject).address(path)
            rehearsal["back_text"] = say("to_today_answered")
            banner["rehearsal"] = rehearsal
        }
        model.merge(banner) { $1 }
        return model
    }

    private func say(_ name: String, _ values: [String: String] = [:]) -> String {
        own.text("rehearsal", name, values)
    }
}
