import SaunterCore
import SaunterExchange

/// `meta/redcap_data_dictionary.csv`: the newest version of every instrument in the 18 columns of REDCap's data
/// dictionary, so that another project can reuse the forms. Other languages and scoring have no column there. They are
/// in `meta/instruments/`.
struct REDCapDictionary {
    let definitions: StudyDefinitions

    var csv: [UInt8] {
        var text = CSVText(header: REDCapVocabulary.headings)
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

    /// The name of a field: the code of the instrument and the linkId of the item, because REDCap requires unique names
    /// in a project.
    static func field(_ linkId: String, of instrument: String) -> String { "\(instrument)_\(linkId)" }

    /// The fields of an item, with the texts of the given version. A single location has none, because only
    /// `locations.csv` contains coordinates. A repeating location has one field: the number of values.
    /// - Parameter choices: the options with their labels; nil uses the options of the item.
    func rows(
        _ item: Item, _ questionnaire: Questionnaire, choices: [(code: String, label: String)]? = nil
    ) -> [(part: REDCapPart, row: [String?])] {
        if item.type.form == .location, !item.isList { return [] }
        let texts = questionnaire.text(in: definitions.language)
        let label = texts.items[item.linkId] ?? item.linkId
        let choices = choices ?? item.codes.map { ($0, texts.options[item.linkId]?[$0] ?? $0) }
        let name = Self.field(item.linkId, of: questionnaire.code)
        let branching = branching(item, questionnaire)
        func row(
            _ part: REDCapPart, _ type: String, _ label: String, section: String? = nil,
            choices: String? = nil, note: String? = nil, validation: String? = nil, minimum: String? = nil,
            maximum: String? = nil, shownWhen: String? = nil, matrix: String? = nil,
            annotation: String? = nil
        ) -> (REDCapPart, [String?]) {
            let all = [branching, shownWhen].compactMap(\.self)
            return (
                part,
                Self.row(
                    field: name + part.suffix, form: questionnaire.code, section: section, type: type,
                    label: label, choices: choices, note: note, validation: validation, minimum: minimum,
                    maximum: maximum, branching: all.count == 2 ? "(\(all[0])) and \(all[1])" : all.first,
                    isRequired: item.required && shownWhen == nil, matrix: matrix, annotation: annotation)
            )
        }
        if item.type.form == .ranking {
            let ranks = item.codes.indices.map { "\($0 + 1), \($0 + 1)" }.joined(separator: " | ")
            return item.answerOption.map { option in
                row(
                    .rank(option.value), "radio",
                    choices.first { $0.code == option.value.text }?.label ?? option.value.text,
                    section: label, choices: ranks, matrix: name, annotation: annotation(item, questionnaire))
            }
        }
        let (type, validation) = Self.type(item)
        let isNumber = item.type.form == .number && !item.isList
        // A bound in one unit does not apply to numbers in another unit.
        let hasBounds = isNumber && item.unitOption.count <= 1
        let answer = row(
            .answer, type, label,
            choices: choices.isEmpty
                ? texts.anchors[item.linkId].flatMap {
                    type == "slider" ? REDCapVocabulary.sliderLabels($0) : nil
                }
                : REDCapVocabulary.choices(choices),
            note: texts.help[item.linkId] ?? item.unit, validation: validation,
            minimum: hasBounds ? item.minValue?.shortest : nil,
            maximum: hasBounds ? item.maxValue?.shortest : nil, annotation: annotation(item, questionnaire))
        if item.type.hasUnits, !item.isList {
            let units = item.unitOption.map { (code: $0, label: $0) }
            return [
                answer, row(.unit, "dropdown", "\(label) (unit)", choices: REDCapVocabulary.choices(units)),
            ]
        }
        if item.type.acceptsFreeText {
            let isOther =
                item.repeats ? "[\(name)(\(Item.otherCode))] = '1'" : "[\(name)] = '\(Item.otherCode)'"
            return [answer, row(.freeText, "text", "\(label) (own words)", shownWhen: isOther)]
        }
        return [answer]
    }

    /// Properties of the item for which REDCap has no column.
    private func annotation(_ item: Item, _ questionnaire: Questionnaire) -> String? {
        let path = AskedWhen.path(to: item.linkId, questionnaire.item) ?? []
        // If one condition of a step has no equivalent, `branching` contains none of them.
        let unsupported = path.filter { step in
            step.enableWhen.contains { condition($0, questionnaire) == nil }
        }.compactMap { AskedWhen.joined($0.enableWhen, $0.enableBehavior) }
        let parts = [
            item.hidden ? "@HIDDEN" : nil, Self.shownWhen(path.compactMap(\.enableWhenExpression)),
            Self.shownWhen(unsupported),
            item.regex.map { "pattern: \($0)" },
            item.isRepeatingGroup || item.isList
                ? "the number of values; the values are in long tables such as answers.csv and free_text.csv"
                : nil,
        ].compactMap(\.self)
        return parts.isEmpty ? nil : parts.joined(separator: "; ")
    }

    private static func shownWhen(_ conditions: [String]) -> String? {
        switch conditions.count {
        case 0: nil
        case 1: "shown when: \(conditions[0])"
        default: "shown when: " + conditions.map { "(\($0))" }.joined(separator: " and ")
        }
    }

    /// The 18 columns of a field.
    /// - Parameters:
    ///   - section: the header above the field.
    ///   - matrix: the name of the matrix of ranks to which the field belongs.
    static func row(
        field: String, form: String, section: String? = nil, type: String, label: String,
        choices: String? = nil, note: String? = nil, validation: String? = nil, minimum: String? = nil,
        maximum: String? = nil, branching: String? = nil, isRequired: Bool = false, matrix: String? = nil,
        annotation: String? = nil
    ) -> [String?] {
        [
            field, form, section, type, label, choices, note, validation, minimum, maximum, nil, branching,
            isRequired ? "y" : nil, nil, nil, matrix, matrix == nil ? nil : "y", annotation,
        ]
    }

    private static func type(_ item: Item) -> (type: String, validation: String?) {
        item.isList || item.isRepeatingGroup ? ("text", "integer") : item.type.definition.redcap(item)
    }

    /// The conditions of the item and of its enclosing groups in REDCap's expression language.
    private func branching(_ item: Item, _ questionnaire: Questionnaire) -> String? {
        let parts = (AskedWhen.path(to: item.linkId, questionnaire.item) ?? []).filter {
            !$0.enableWhen.isEmpty
        }
        .compactMap { step -> String? in
            let conditions = step.enableWhen.compactMap { condition($0, questionnaire) }
            guard conditions.count == step.enableWhen.count else { return nil }
            return conditions.joined(separator: step.enableBehavior == .any ? " or " : " and ")
        }
        guard !parts.isEmpty else { return nil }
        return parts.count == 1 ? parts[0] : parts.map { "(\($0))" }.joined(separator: " and ")
    }

    /// Nil if the condition compares the amount of an item whose numbers are in several units.
    private func condition(_ condition: Condition, _ questionnaire: Questionnaire) -> String? {
        let questionItem = questionnaire.questions.first { $0.linkId == condition.question }
        return REDCapVocabulary.condition(
            condition, field: Self.field(condition.question, of: questionnaire.code),
            boxes: REDCapVocabulary.boxes(questionItem, codes: questionItem?.codes ?? []),
            unit: questionItem.flatMap { $0.unitOption.count == 1 ? $0.unitOption[0] : nil })
    }
}

/// The part of an item that a REDCap field contains. Most items have one field.
enum REDCapPart: Hashable {
    case answer
    /// The unit of a quantity.
    case unit
    /// The free text of an open choice.
    case freeText
    /// The rank of an option in a ranking.
    case rank(OptionValue)

    /// The suffix of the field name after the name of the item.
    var suffix: String {
        switch self {
        case .answer: ""
        case .unit: "_\(Item.unitCode)"
        case .freeText: "_\(Item.otherCode)"
        case .rank(let option): "_\(REDCapNames.choice(option.text))"
        }
    }
}

extension Item {
    /// The codes of its options; for an open choice, `other` is the last one.
    fileprivate var codes: [String] {
        answerOption.map(\.value.text) + (type.acceptsFreeText ? [Self.otherCode] : [])
    }
}
