import SaunterCore

/// Test vectors for a scoring key that was derived from another format. The expected scores are computed with the key
/// itself, so they only show whether the key changes later. Worked cases from the publication must be added.
package struct ComputedVectors {
    private let questionnaire: Questionnaire

    /// Prepares the test vectors of a questionnaire with a scoring key.
    package init(_ questionnaire: Questionnaire) {
        self.questionnaire = VectorRun.withoutRequired(questionnaire)
    }

    /// The text of `vectors.csv` with three cases: no answers, the first option of every question, and the last option.
    /// For numbers these are the smallest and the largest permitted value. A case that the rules of the questionnaire
    /// reject is left out.
    package var csv: String {
        let questions = questionnaire.questions.filter(\.type.isQuestion)
        let scales = questionnaire.scoring?.scales.map(\.id) ?? []
        let header =
            ["case"] + questions.map(\.linkId) + scales.map { "score.\($0)" } + scales.map { "reason.\($0)" }
        let index = QuestionnaireIndex(questionnaire)
        var lines = [header.joined(separator: ",")]
        let cases: [(name: String, isLast: Bool?)] = [
            ("computed: no answers", nil), ("computed: first", false), ("computed: last", true),
        ]
        for (name, isLast) in cases {
            var fields: [String: (text: String, json: JSON)] = [:]
            if let isLast {
                for item in questions { fields[item.linkId] = Self.answer(to: item, isLast: isLast) }
            }
            // An answer that the conditions of other items do not permit is left out.
            var sheet: AnswerSheet?
            for _ in 0...questions.count {
                let answers = JSONObject(
                    fields.sorted { $0.key < $1.key }.map { .init(name: $0.key, value: $0.value.json) })
                sheet = try? AnswerSheet(answers: answers, of: index)
                guard let cleared = sheet?.cleared, !cleared.isEmpty else { break }
                for linkId in cleared { fields[linkId] = nil }
            }
            guard let sheet else { continue }
            let scores = Dictionary(index.scores(for: sheet).map { ($0.scale, $0) }) { first, _ in first }
            let line =
                [name] + questions.map { fields[$0.linkId]?.text ?? "" }
                + scales.map { scores[$0]?.value.map { JSONNumber($0).literal } ?? "" }
                + scales.map { scores[$0]?.reason?.rawValue ?? "" }
            lines.append(line.joined(separator: ","))
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func answer(to item: Item, isLast: Bool) -> (text: String, json: JSON)? {
        switch item.type.form {
        case .truth: return isLast ? ("true", true) : ("false", false)
        case .options:
            guard let option = isLast ? item.answerOption.last : item.answerOption.first else { return nil }
            return (option.value.text, item.repeats ? [option.value.json] : option.value.json)
        case .number where !item.repeats && !item.hidden && !item.type.hasUnits:
            let number = isLast ? item.maxValue ?? 10 : item.minValue ?? 0
            guard item.type.definition.isWhole else { return (JSONNumber(number).literal, .double(number)) }
            return Int(exactly: number).map { (String($0), .int($0)) }
        case .nothing, .number, .text, .moment, .ranking, .location: return nil
        }
    }
}
