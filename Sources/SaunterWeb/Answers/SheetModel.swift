import SaunterCore

/// A stored sheet as its page shows it.
struct SheetModel {
    private let sheet: JSON
    /// The questionnaire in the version of the sheet.
    private let questionnaire: JSON
    /// The texts of the tailoring variables that the study shows after this questionnaire.
    private let feedback: [String]
    /// Whether the page shows only questions with an answer, because the questionnaire is locked.
    private let isLocked: Bool
    private let participant: Participant
    private let words: Words.Language
    private let now: Instant
    private let time: LocalTimeText

    init(
        _ sheet: JSON, _ questionnaire: JSON, feedback: [String], isLocked: Bool = false,
        _ participant: Participant, words: Words.Language, now: Instant
    ) {
        self.sheet = sheet
        self.questionnaire = questionnaire
        self.feedback = feedback
        self.isLocked = isLocked
        self.participant = participant
        self.words = words
        self.now = now
        time = participant.time(words)
    }

    func values(isNew: Bool) -> [String: Any] {
        let id = sheet["sheet_id"]?.string ?? ""
        let items = questionnaire["item"]?.array ?? []
        let answers = AnswerSummary(items, words: words, zone: participant.zone, now: now)
            .rows(sheet["answers"]?.object ?? [:], sheet["reasons"]?.object ?? [:])
            .filter { !isLocked || $0["blank"] as? Bool != true }
        var model: [String: Any] = [
            "new": isNew, "may_alert": isNew && questionnaire["may_alert"]?.bool == true, "answers": answers,
            "home": participant.home,
            "address": "\(participant.home)/sheets/\(id)",
            "completed": sheet["completed_at"]?.instant.map { time.dayAndTime($0, now: now) } ?? "",
            "feedback": isNew ? feedback : [], "has_feedback": isNew && !feedback.isEmpty,
            "scores": (sheet["scores"]?.array ?? []).map(score),
            "may_edit": !isLocked && permission.mayEdit, "may_delete": permission.mayDelete,
        ]
        model["has_scores"] = !(sheet["scores"]?.array?.isEmpty ?? true)
        model["has_answers"] = !answers.isEmpty
        if let standing = sheet["standing"]?.string, standing != "unscheduled" {
            model["standing"] = words.text("standing", standing)
        }
        if sheet["duplicate_of"]?.string != nil { model["duplicate"] = true }
        return model
    }

    private func score(_ score: JSON) -> [String: Any] {
        var model: [String: Any] = ["label": score["label"]?.string ?? ""]
        model["value"] = score["value"]?.double.map { words.number($0) } ?? words.text("answer", "no_score")
        model["band"] = score["band_label"]?.string
        if let least = score["minimum"]?.double, let most = score["maximum"]?.double {
            model["range"] = words.text(
                "answer", "range", ["least": words.number(least), "most": words.number(most)])
        }
        return model
    }

    private var permission: SheetPermission {
        SheetPermission(
            questionnaire["edit"], from: sheet["received_at"]?.instant, isActive: participant.isActive,
            now: now)
    }
}
