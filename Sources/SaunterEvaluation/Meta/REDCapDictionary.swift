import SaunterCore

/// `meta/redcap_data_dictionary.csv`: the newest version of every instrument in the 18 columns of REDCap's data dictionary, to
/// build the same forms elsewhere. What it cannot say (several languages, scoring) stands in `meta/instruments/`.
struct REDCapDictionary {
    static let header = [
        "Variable / Field Name", "Form Name", "Section Header", "Field Type", "Field Label",
        "Choices, Calculations, OR Slider Labels", "Field Note", "Text Validation Type OR Show Slider Number",
        "Text Validation Min", "Text Validation Max", "Identifier?",
        "Branching Logic (Show field only if...)", "Required Field?", "Custom Alignment",
        "Question Number (surveys only)", "Matrix Group Name", "Matrix Ranking?", "Field Annotation",
    ]

    let definitions: StudyDefinitions

    var csv: [UInt8] {
        var text = CSVText(header: Self.header)
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
                    choices: ranks, annotation: annotation(item))
                ranked.1[2] = label
                ranked.1[15] = name
                ranked.1[16] = "y"
                return ranked
            }
        }
        let (type, validation) = Self.type(item)
        let isNumber = [.integer, .decimal, .quantity].contains(item.type) && !item.isList
        var answer = row(
            .answer, type, label, choices: choices.isEmpty ? nil : REDCapForm.words(choices),
            validation: validation, annotation: annotation(item))
        answer.1[6] = item.unit
        if isNumber { (answer.1[8], answer.1[9]) = (item.minValue?.shortest, item.maxValue?.shortest) }
        switch item.type {
        case .quantity where !item.isList:
            let units = item.unitOption.map { (code: $0, label: $0) }
            return [answer, row(.unit, "dropdown", "\(label) (unit)", choices: REDCapForm.words(units))]
        case .openChoice:
            let isOther =
                item.repeats ? "[\(name)(\(Item.otherCode))] = '1'" : "[\(name)] = '\(Item.otherCode)'"
            return [answer, row(.words, "text", "\(label) (own words)", shownWhen: isOther)]
        default: return [answer]
        }
    }

    /// What REDCap's columns do not carry.
    private func annotation(_ item: Item) -> String? {
        let parts = [
            item.hidden ? "@HIDDEN" : nil, item.enableWhenExpression.map { "shown when: \($0)" },
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
        if item.isList || item.isRepeatingGroup { return ("text", "integer") }
        return switch item.type {
        case .choice where item.repeats, .openChoice where item.repeats: ("checkbox", nil)
        case .choice, .openChoice: (item.itemControl == .dropDown ? "dropdown" : "radio", nil)
        case .boolean: ("yesno", nil)
        case .integer: ("text", "integer")
        case .decimal, .quantity: ("text", "number")
        case .date: ("text", "date_ymd")
        case .dateTime: ("text", "datetime_seconds_ymd")
        case .time: ("text", "time_hh_mm_ss")
        case .string: ("text", nil)
        case .text, .ranking: ("notes", nil)
        case .group, .display: ("descriptive", nil)
        }
    }

    /// The conditions of the item and of the groups around it, in REDCap's language.
    private func branching(_ item: Item, _ questionnaire: Questionnaire) -> String? {
        let parts = (AskedWhen.path(to: item.linkId, questionnaire.item) ?? []).filter {
            !$0.enableWhen.isEmpty
        }
        .map { step in
            step.enableWhen.map { condition($0, questionnaire) }
                .joined(separator: step.enableBehavior == .any ? " or " : " and ")
        }
        guard !parts.isEmpty else { return nil }
        return parts.count == 1 ? parts[0] : parts.map { "(\($0))" }.joined(separator: " and ")
    }

    private func condition(_ condition: Condition, _ questionnaire: Questionnaire) -> String {
        let field = Self.field(condition.question, of: questionnaire.code)
        let asked = questionnaire.questions.first { $0.linkId == condition.question }
        let isCheckbox = asked?.type.hasOptions == true && asked?.repeats == true
        if condition.comparison == .exists {
            let wanted = condition.answer != .boolean(false)
            guard isCheckbox, let asked else {
                return "[\(field)] \(wanted ? "<>" : "=") ''"
            }
            let boxes = asked.codes.map { "[\(field)(\($0))] = '\(wanted ? "1" : "0")'" }
            return "(\(boxes.joined(separator: wanted ? " or " : " and ")))"
        }
        let value: String
        if case .boolean(let answer) = condition.answer {
            value = answer ? "1" : "0"
        } else {
            value = condition.answer.json.string ?? condition.answer.json.text
        }
        if isCheckbox {
            return "[\(field)(\(value))] = '\(condition.comparison == .notEqual ? "0" : "1")'"
        }
        let sign = condition.comparison == .notEqual ? "<>" : condition.comparison.rawValue
        return "[\(field)] \(sign) '\(value.replacing("'", with: "\\'"))'"
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
