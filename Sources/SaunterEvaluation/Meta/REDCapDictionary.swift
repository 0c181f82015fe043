import SaunterCore

/// `meta/redcap_data_dictionary.csv`: the newest version of every instrument in the 18 columns of REDCap's data dictionary, to
/// build the same forms elsewhere. What it cannot say (several languages, scoring) stands in `meta/instruments/`.
struct REDCapDictionary {
    private static let header = [
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
            for item in instrument.newest.questions { text.add(row(item, instrument.newest)) }
        }
        return text.bytes
    }

    /// A field's name is the instrument's and the item's, since REDCap's names are unique in a project.
    static func field(_ linkId: String, of instrument: String) -> String { "\(instrument)_\(linkId)" }

    private func row(_ item: Item, _ questionnaire: Questionnaire) -> [String?] {
        let words = questionnaire.text(in: "en")
        let (type, validation) = Self.type(item)
        let choices = item.answerOption.map { option in
            let label = words.options[item.linkId]?[option.value.text] ?? option.value.text
            return "\(option.value.text), \(label.replacing("|", with: "/"))"
        }
        let isNumber = item.type == .integer || item.type == .decimal
        return Self.row(
            field: Self.field(item.linkId, of: questionnaire.code), form: questionnaire.code, type: type,
            label: words.items[item.linkId] ?? item.linkId,
            choices: choices.isEmpty ? nil : choices.joined(separator: " | "), note: item.unit,
            validation: validation, least: isNumber ? item.minValue?.shortest : nil,
            most: isNumber ? item.maxValue?.shortest : nil, branching: branching(item, questionnaire),
            isRequired: item.required, annotation: annotation(item))
    }

    /// What REDCap's columns do not carry.
    private func annotation(_ item: Item) -> String? {
        let parts = [
            item.hidden ? "@HIDDEN" : nil, item.enableWhenExpression.map { "shown when: \($0)" },
            item.regex.map { "form: \($0)" },
            item.unitOption.isEmpty ? nil : "units: \(item.unitOption.joined(separator: ", "))",
            item.type == .ranking ? "ranking" : item.isRepeatingGroup || item.isList ? "repeats" : nil,
        ].compactMap(\.self)
        return parts.isEmpty ? nil : parts.joined(separator: "; ")
    }

    private static func row(
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
        switch item.type {
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
        let isCheckbox = asked?.type == .choice && asked?.repeats == true
        if condition.comparison == .exists {
            let wanted = condition.answer != .boolean(false)
            guard isCheckbox, let options = asked?.answerOption else {
                return "[\(field)] \(wanted ? "<>" : "=") ''"
            }
            let boxes = options.map { "[\(field)(\($0.value.text))] = '\(wanted ? "1" : "0")'" }
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
