import SaunterCore

/// Answers in words: one row for each question that was shown.
struct AnswerSummary {
    private let items: [JSON]
    private let words: Words.Language
    private let zone: Zone
    private let time: LocalTimeText
    private let now: Instant
    /// The section of the words for the reasons of blanks.
    private let blanks: String

    /// - Parameters:
    ///   - items: the items of the questionnaire, in the form of the API.
    ///   - zone: the zone of dates with a time of day.
    ///   - now: dates of another year are written with the year.
    ///   - blanks: the section of the words for the reasons of blanks.
    init(_ items: [JSON], words: Words.Language, zone: Zone, now: Instant, blanks: String = "blank") {
        self.now = now
        self.blanks = blanks
        self.items = items
        self.words = words
        self.zone = zone
        time = LocalTimeText(language: words.code, zone: zone.id)
    }

    /// One row for each question: `item`, `question` and `answer`. `blank` is true if there is no answer.
    func rows(_ answers: JSONObject, _ reasons: JSONObject) -> [[String: Any]] {
        rows(items, answers, reasons)
    }

    private func rows(_ items: [JSON], _ answers: JSONObject, _ reasons: JSONObject) -> [[String: Any]] {
        items.flatMap { item -> [[String: Any]] in
            let linkId = item["linkId"]?.string ?? ""
            if item.itemType == .display || item["hidden"]?.bool == true { return [] }
            if reasons[linkId]?.string == "not_shown" { return [] }
            if item.itemType == .group {
                let children = item["item"]?.array ?? []
                guard item["repeats"]?.bool == true else { return rows(children, answers, reasons) }
                return (answers[linkId]?.array ?? []).enumerated().flatMap { number, instance in
                    instanceRows(
                        children, instance.object ?? [:], "\(item["text"]?.string ?? "") \(number + 1)",
                        number + 1)
                }
            }
            let answer =
                answers[linkId].map { text(of: $0, item) }
                ?? words.text(blanks, reasons[linkId]?.string ?? "skipped")
            return [
                [
                    "item": linkId, "question": item["text"]?.string ?? linkId, "answer": answer,
                    "blank": answers[linkId] == nil,
                ]
            ]
        }
    }

    /// The questions of one instance that have an answer.
    private func instanceRows(
        _ items: [JSON], _ answers: JSONObject, _ title: String, _ number: Int
    ) -> [[String: Any]] {
        items.compactMap { item in
            guard let linkId = item["linkId"]?.string, let answer = answers[linkId] else { return nil }
            return [
                "item": "\(linkId).\(number)",
                "question": "\(title): \(item["text"]?.string ?? linkId)", "answer": text(of: answer, item),
            ]
        }
    }

    /// An answer in words.
    func text(of answer: JSON, _ item: JSON) -> String {
        if item.itemType.form == .ranking { return ranking(answer.array ?? [], item) }
        if let values = answer["values"]?.array { return list(values, item) }
        if let values = answer.array { return list(values, item) }
        return single(answer, item)
    }

    private func list(_ values: [JSON], _ item: JSON) -> String {
        values.map { single($0, item) }.joined(separator: ", ")
    }

    /// The options in their order; for comparisons, what was preferred.
    private func ranking(_ elements: [JSON], _ item: JSON) -> String {
        guard elements.contains(where: { $0.object != nil || $0.array != nil }) else {
            return elements.enumerated().map { "\($0 + 1). \(single($1, item))" }.joined(separator: "\n")
        }
        return elements.map { element in
            let pair = element["shown"]?.array ?? element.array ?? []
            let choice = element.array == nil ? element["choice"] ?? .null : pair.first ?? .null
            let names = pair.map { single($0, item) }
            return choice.isNull
                ? "\(names.joined(separator: " = "))"
                : "\(single(choice, item)) > \(pair.filter { $0 != choice }.map { single($0, item) }.joined())"
        }.joined(separator: "\n")
    }

    private func single(_ answer: JSON, _ item: JSON) -> String {
        if let other = answer["other"]?.string { return other }
        if let lat = answer["lat"], let lon = answer["lon"] {
            return "\(QuestionModel.text(lat)), \(QuestionModel.text(lon))"
        }
        if let unit = answer["unit"]?.string {
            return "\(number(answer["value"])) \(QuestionModel.unitName(unit))"
        }
        if let truth = answer.bool { return words.text("answer", truth ? "yes" : "no") }
        switch item.itemType.definition.column {
        case .date: return answer.string.map { time.day($0, now: now) } ?? ""
        case .instant:
            return answer.instant.map { time.dayAndTime($0, now: now) } ?? QuestionModel.text(answer)
        case .time: return String((answer.string ?? "").prefix(5))
        default: break
        }
        let text = AnswerFields.text(answer)
        let option = item["answerOption"]?.array?.first { $0["value"].map(AnswerFields.text) == text }
        if let label = option?["label"]?.string { return label }
        let unit = item["unit"]?.string.map { " \(QuestionModel.unitName($0))" } ?? ""
        return number(answer) + unit
    }

    /// A number with the decimal mark of the language; any other value as it is.
    private func number(_ value: JSON?) -> String {
        let text = QuestionModel.text(value)
        return value?.double == nil ? text : text.replacing(".", with: words.text("format", "decimal_mark"))
    }
}
