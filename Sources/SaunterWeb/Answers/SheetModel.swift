import SaunterCore

/// A stored sheet as its page shows it.
struct SheetModel {
    private let sheet: JSON
    private let questionnaire: JSON
    private let participant: Participant
    private let words: Words.Language
    private let now: Instant
    private let time: LocalTimeText

    init(
        _ sheet: JSON, _ questionnaire: JSON, _ participant: Participant, words: Words.Language, now: Instant
    ) {
        self.sheet = sheet
        self.questionnaire = questionnaire
        self.participant = participant
        self.words = words
        self.now = now
        time = LocalTimeText(language: words.code, zone: participant.enrolment["time_zone"]?.string ?? "")
    }

    func values(isNew: Bool) -> [String: Any] {
        let id = sheet["sheet_id"]?.string ?? ""
        let answers = AnswerSummary(questionnaire, words: words)
            .rows(sheet["answers"]?.object ?? [:], sheet["reasons"]?.object ?? [:])
        var model: [String: Any] = [
            "new": isNew, "answers": answers, "home": participant.home,
            "address": "\(participant.home)/sheets/\(id)",
            "completed": sheet["completed_at"]?.instant.map { time.dayAndTime($0) } ?? "",
            "scores": (sheet["scores"]?.array ?? []).map(score),
            "may_edit": isWithin(always: "correct_always", seconds: "correct_within_s"),
            "may_delete": isWithin(always: "delete_always", seconds: "delete_within_s"),
        ]
        model["has_scores"] = !(sheet["scores"]?.array?.isEmpty ?? true)
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

    private func isWithin(always: String, seconds: String) -> Bool {
        guard participant.isActive, let edit = questionnaire["edit"] else { return false }
        if edit[always]?.bool == true { return true }
        guard let limit = edit[seconds]?.int, let received = sheet["received_at"]?.instant else {
            return false
        }
        return now < received.adding(seconds: limit)
    }
}

/// Answers in words: one row for each question that was shown.
struct AnswerSummary {
    private let items: [JSON]
    private let words: Words.Language

    init(_ questionnaire: JSON, words: Words.Language) {
        items = questionnaire["item"]?.array ?? []
        self.words = words
    }

    func rows(_ answers: JSONObject, _ reasons: JSONObject) -> [[String: Any]] {
        rows(items, answers, reasons)
    }

    private func rows(_ items: [JSON], _ answers: JSONObject, _ reasons: JSONObject) -> [[String: Any]] {
        items.flatMap { item -> [[String: Any]] in
            let linkId = item["linkId"]?.string ?? ""
            if item["type"]?.string == "display" || item["hidden"]?.bool == true { return [] }
            if item["type"]?.string == "group" {
                let children = item["item"]?.array ?? []
                guard item["repeats"]?.bool == true else { return rows(children, answers, reasons) }
                return (answers[linkId]?.array ?? []).enumerated().flatMap { number, instance in
                    rows(children, instance.object ?? [:], [:]).map { row in
                        var row = row
                        row["question"] = "\(row["question"] as? String ?? "") (\(number + 1))"
                        return row
                    }
                }
            }
            if reasons[linkId]?.string == "not_shown" { return [] }
            let answer =
                answers[linkId].map { text(of: $0, item) }
                ?? words.text("blank", reasons[linkId]?.string ?? "skipped")
            return [["question": item["text"]?.string ?? linkId, "answer": answer]]
        }
    }

    /// An answer in words.
    func text(of answer: JSON, _ item: JSON) -> String {
        if let list = answer.array { return list.map { single($0, item) }.joined(separator: ", ") }
        return single(answer, item)
    }

    private func single(_ answer: JSON, _ item: JSON) -> String {
        if let other = answer["other"]?.string { return other }
        if let lat = answer["lat"], let lon = answer["lon"] {
            return "\(QuestionModel.text(lat)), \(QuestionModel.text(lon))"
        }
        if let unit = answer["unit"]?.string { return "\(QuestionModel.text(answer["value"])) \(unit)" }
        if let truth = answer.bool { return words.text("answer", truth ? "yes" : "no") }
        let text = AnswerFields.text(answer)
        let option = item["answerOption"]?.array?.first { $0["value"].map(AnswerFields.text) == text }
        if let label = option?["label"]?.string { return label }
        let unit = item["unit"]?.string.map { " \($0)" } ?? ""
        return QuestionModel.text(answer) + unit
    }
}
