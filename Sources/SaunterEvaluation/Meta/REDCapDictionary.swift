import SaunterCore
import SaunterExchange

/// `meta/redcap_data_dictionary.csv`: the newest version of every instrument in the 18 columns of REDCap's data dictionary, to
/// build the same forms elsewhere. What it cannot say (several languages, scoring) stands in `meta/instruments/`.
struct REDCapDictionary {
    let definitions: StudyDefinitions

    var csv: [UInt8] {
        var text = CSVText(header: REDCapWords.headings)
        text.add(
            Self.row(
                field: "record_id", form: definitions.instruments.first?.code ?? "record", type: "text",
                label: "Participant"))
        for instrument in definitions.instruments {
            for item in instrument.newest.questions {
                for field in rows(item, instrument.newest) { text.add(field.row) }
            }
        }
        return text.bytes
    }

    /// A field's name is the instrument's and the item's, since REDCap's names are unique in a project.
    static func field(_ linkId: String, of instrument: String) -> String { "\(instrument)_\(linkId)" }

    /// The fields of an item, in the words of the version that has it.
    /// - Parameter choices: its options with their labels; nil for those of the item.
    func rows(
        _ item: Item, _ questionnaire: Questionnaire, choices: [(code: String, label: String)]? = nil
    ) -> [(part: REDCapPart, row: [String?])] {
        let words = questionnaire.text(in: "en")
        let label = words.items[item.linkId] ?? item.linkId
        let choices = choices ?? item.codes.map { ($0, words.options[item.linkId]?[$0] ?? $0) }
        let name = Self.field(item.linkId, of: questionnaire.code)
        let branching = branching(item, questionnaire)
        func row(
            _ part: REDCapPart, _ type: String, _ label: String, choices: String? = nil,
            validation: String? = nil, shownWhen: String? = nil, annotation: String? = nil
        ) -> (REDCapPart, [String?]) {
            let all = [branching, shownWhen].compactMap(\.self)
            return (
                part,
                Self.row(
                    field: name + part.suffix, form: questionnaire.code, type: type, label: label,
                    choices: choices, validation: validation,
                    branching: all.count == 2 ? "(\(all[0])) and \(all[1])" : all.first,
                    isRequired: item.required && shownWhen == nil, annotation: annotation)
            )
        }
        if item.type == .ranking {
            let ranks = item.codes.indices.map { "\($0 + 1), \($0 + 1)" }.joined(separator: " | ")
            return item.answerOption.map { option in
                var ranked = row(
                    .rank(option.value), "radio",
                    choices.first { $0.code == option.value.text }?.label ?? option.value.text,
                    choices: ranks, annotation: annotation(item, questionnaire))
                ranked.1[2] = label
                ranked.1[15] = name
                ranked.1[16] = "y"
                return ranked
            }
        }
        let (type, validation) = Self.type(item)
        let isNumber = [.integer, .decimal, .quantity].contains(item.type) && !item.isList
        var answer = row(
            .answer, type, label, choices: choices.isEmpty ? nil : REDCapWords.choices(choices),
            validation: validation, annotation: annotation(item, questionnaire))
        answer.1[6] = item.unit
        // A bound of one unit is none of the numbers of another.
        if isNumber, item.unitOption.count <= 1 {
            (answer.1[8], answer.1[9]) = (item.minValue?.shortest, item.maxValue?.shortest)
        }
        switch item.type {
        case .quantity where !item.isList:
            let units = item.unitOption.map { (code: $0, label: $0) }
            return [answer, row(.unit, "dropdown", "\(label) (unit)", choices: REDCapWords.choices(units))]
        case .openChoice:
            let isOther =
                item.repeats ? "[\(name)(\(Item.otherCode))] = '1'" : "[\(name)] = '\(Item.otherCode)'"
            return [answer, row(.words, "text", "\(label) (own words)", shownWhen: isOther)]
        default: return [answer]
        }
    }

    /// What REDCap's columns do not carry.
    private func annotation(_ item: Item, _ questionnaire: Questionnaire) -> String? {
        let amounts = (AskedWhen.path(to: item.linkId, questionnaire.item) ?? []).flatMap(\.enableWhen)
            .filter { condition($0, questionnaire) == nil }.map(AskedWhen.words)
        let parts = [
            item.hidden ? "@HIDDEN" : nil, item.enableWhenExpression.map { "shown when: \($0)" },
            amounts.isEmpty ? nil : "shown when: \(amounts.joined(separator: ", "))",
            item.regex.map { "form: \($0)" },
            item.isRepeatingGroup || item.isList ? "how many: the values stand in answers.csv" : nil,
        ].compactMap(\.self)
        return parts.isEmpty ? nil : parts.joined(separator: "; ")
    }

    static func row(
        field: String, form: String, type: String, label: String, choices: String? = nil, note: String? = nil,
        validation: String? = nil, least: String? = nil, most: String? = nil, branching: String? = nil,
        isRequired: Bool = false, annotation: String? = nil
    ) -> [String?] {
        [
            field, form, nil, type, label, choices, note, validation, least, most, nil, branching,
            isRequired ? "y" : nil, nil, nil, nil, nil, annotation,
        ]
    }

    private static func type(_ item: Item) -> (type: String, validation: String?) {
        item.isList || item.isRepeatingGroup ? ("text", "integer") : REDCapWords.type(item)
    }

    /// The conditions of the item and of the groups around it, in REDCap's language.
    private func branching(_ item: Item, _ questionnaire: Questionnaire) -> String? {
        let parts = (AskedWhen.path(to: item.linkId, questionnaire.item) ?? []).filter {
            !$0.enableWhen.isEmpty
        }
        .compactMap { step -> String? in
            let said = step.enableWhen.compactMap { condition($0, questionnaire) }
            guard said.count == step.enableWhen.count else { return nil }
            return said.joined(separator: step.enableBehavior == .any ? " or " : " and ")
        }
        guard !parts.isEmpty else { return nil }
        return parts.count == 1 ? parts[0] : parts.map { "(\($0))" }.joined(separator: " and ")
    }

    /// Nil where it asks for an amount of a field whose numbers are in several units.
    private func condition(_ condition: Condition, _ questionnaire: Questionnaire) -> String? {
        let asked = questionnaire.questions.first { $0.linkId == condition.question }
        return REDCapWords.condition(
            condition, field: Self.field(condition.question, of: questionnaire.code),
            boxes: REDCapWords.boxes(asked, codes: asked?.codes ?? []),
            unit: asked.flatMap { $0.unitOption.count == 1 ? $0.unitOption[0] : nil })
    }
}

/// Which part of an item a field of REDCap holds: most items have one field.
enum REDCapPart: Hashable {
    case answer
    /// The unit of a quantity.
    case unit
    /// Own words of an open choice.
    case words
    /// The place of an option in a ranking.
    case rank(OptionValue)

    /// Stands behind the item's name.
    var suffix: String {
        switch self {
        case .answer: ""
        case .unit: "_\(Item.unitCode)"
        case .words: "_\(Item.otherCode)"
        case .rank(let option): "_\(REDCapNames.choice(option.text))"
        }
    }
}

extension Item {
    /// The codes of its options; of an open choice own words come last.
    fileprivate var codes: [String] {
        answerOption.map(\.value.text) + (type == .openChoice ? [Self.otherCode] : [])
    }
}
