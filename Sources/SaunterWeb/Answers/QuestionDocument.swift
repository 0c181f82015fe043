import SaunterCore
import SaunterServer

/// The document with the questions of one questionnaire, as its template shows it.
struct QuestionDocument {
    private let form: AnswerForm
    private let asked: QuestionnaireForm
    private let participant: Participant
    private let words: Words.Language
    private let now: Instant
    /// The questionnaire in the form of the API.
    let questionnaire: JSON
    private let items: [JSON]
    /// The answers and reasons in the fields of the form.
    let read: AnswerFields
    /// The answers that the document shows: those of the fields, or those that a new document begins with.
    private let answers: JSONObject
    /// Which items and options the document shows.
    let state: FormState

    init(
        _ form: AnswerForm, _ asked: QuestionnaireForm, _ participant: Participant, _ words: Words.Language,
        now: Instant
    ) {
        self.form = form
        self.asked = asked
        self.participant = participant
        self.words = words
        self.now = now
        questionnaire = asked.structure
        items = questionnaire["item"]?.array ?? []
        read = AnswerFields(items, form.fields, zone: participant.zone)
        answers = form.isNew ? form.initialAnswers(of: items) : read.answers
        state = asked.state(
            answers: answers, reasons: read.reasons, today: participant.zone.local(of: now).date,
            permitting: participant.permittedKinds)
    }

    /// linkId -> why an item has no answer. Items that are not shown are among them.
    var reasonsOfBlanks: JSONObject {
        var reasons = read.reasons
        func add(_ items: [JSON]) {
            for item in items {
                guard let linkId = item["linkId"]?.string else { continue }
                if !state.shown.contains(linkId), item["hidden"]?.bool != true {
                    reasons[linkId] = "not_shown"
                }
                if item["repeats"]?.bool != true { add(item["item"]?.array ?? []) }
            }
        }
        add(items)
        return reasons
    }

    /// Whether there are items that the answers so far do not show.
    var hidesQuestions: Bool { reasonsOfBlanks.contains { $0.value.string == "not_shown" } }

    var title: String { questionnaire["title"]?.string ?? form.questionnaire }

    /// Whether a rule of the study can alert its team about the answers.
    var mayAlert: Bool { questionnaire["may_alert"]?.bool == true }

    /// Whether the page needs the style sheet of other pages.
    var needsRareStyles: Bool { items.contains(where: QuestionModel.needsRareStyles) }

    /// The model of the template `answer`.
    func values(faults: [Fault], notice: String?) -> [String: Any] {
        let kinds = participant.permittedKinds
        let texts = FaultTexts(items, words: words)
        let model = QuestionModel(
            words: words, answers: answers, reasons: read.reasons, state: state,
            faults: texts.byPointer(faults), permittedKinds: kinds, zone: participant.zone, now: now,
            mediaAddress: { [asked] in asked.mediaAddress($0) }, grownGroup: form.grownGroup)
        var values: [String: Any] = [
            "items": model.items(items), "sheet_id": form.sheet,
            "version": questionnaire["version"]?.string ?? "",
            "language": questionnaire["language"]?.string ?? "",
            "started_at": form.startedAt ?? now.description,
            "questionnaire": form.questionnaire, "shown": state.shown.sorted().joined(separator: " "),
            "rules": Self.rules(asked.rules(permitting: kinds), words),
            "time_zone": participant.zone.id, "home": participant.home, "title": title,
            "may_alert": mayAlert, "waiting": mayAlert ? "\(participant.home)#talk" : participant.home,
            "has_errors": !faults.isEmpty, "errors": texts.summary(faults),
        ]
        values["description"] = questionnaire["description"]?.string
        values["copyright"] = questionnaire["copyright"]?.string
        values["occasion_id"] = form.occasion
        values["refers_to"] = form.refersTo
        values["revision_of"] = form.revisedTag
        values["notice"] = notice
        return values
    }

    /// The rules and the words for the script of the page, as JSON. `<` is escaped, so that no text can end the
    /// element.
    private static func rules(_ rules: JSON, _ words: Words.Language) -> String {
        var rules = rules.object ?? [:]
        rules["ask"] = words.json("ask", where: Words.ofEveryQuestion.contains)
        return JSON.object(rules).text.replacing("<", with: "\\u003c")
    }
}
