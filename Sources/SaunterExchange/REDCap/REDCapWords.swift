import SaunterCore

/// What REDCap calls our things, wherever a data dictionary is written: of an instrument, and beside a dataset.
package enum REDCapWords {
    /// The headings of a data dictionary's 18 columns.
    package static let headings = REDCapColumn.allCases.map(\.rawValue)

    /// The field type of an item that has one field, and its validation.
    package static func type(_ item: Item) -> (type: String, validation: String?) {
        switch item.type {
        case .choice, .openChoice:
            if item.repeats { return ("checkbox", nil) }
            if item.itemControl == .autocomplete { return ("dropdown", "autocomplete") }
            return (item.itemControl == .dropDown ? "dropdown" : "radio", nil)
        case .boolean: return ("yesno", nil)
        case .integer: return item.itemControl == .slider ? ("slider", nil) : ("text", "integer")
        case .decimal, .quantity: return ("text", "number")
        case .date: return ("text", "date_ymd")
        case .dateTime: return ("text", "datetime_seconds_ymd")
        case .time: return ("text", "time_hh_mm_ss")
        case .string: return ("text", nil)
        case .text, .ranking: return ("notes", nil)
        case .group, .display: return ("descriptive", nil)
        }
    }

    /// Choices as the dictionary lists them: a bar would begin the next one.
    package static func choices(_ choices: [(code: String, label: String)]) -> String {
        choices.map { "\($0.code), \($0.label.replacing("|", with: "/"))" }.joined(separator: " | ")
    }

    /// Whether a table is a matrix there: rows of one kind, radio buttons or boxes, that have the same choices.
    static func isMatrix(_ item: Item, _ words: QuestionnaireText) -> Bool {
        guard item.type == .group, item.itemControl == .table, !item.repeats, let first = item.item.first
        else {
            return false
        }
        func choices(_ row: Item) -> [String] {
            row.answerOption.map { "\($0.value.text), \(words.options[row.linkId]?[$0.value.text] ?? "")" }
        }
        return item.item.allSatisfy { row in
            ["radio", "checkbox"].contains(type(row).type) && type(row).type == type(first).type
                && choices(row) == choices(first)
        }
    }

    /// The boxes of an item that has one for each of these codes; nil where it is no checkbox.
    package static func boxes(_ item: Item?, codes: [String]) -> [String]? {
        guard let item, item.type.hasOptions, item.repeats else { return nil }
        return codes
    }

    /// That a field is answered, or that it is not. A checkbox itself has no value: its boxes have.
    package static func isAnswered(_ wanted: Bool, field: String, boxes: [String]?) -> String {
        guard let boxes else { return "[\(field)] \(wanted ? "<>" : "=") ''" }
        let all = boxes.map { "[\(field)(\($0))] = '\(wanted ? "1" : "0")'" }
        return "(\(all.joined(separator: wanted ? " or " : " and ")))"
    }

    /// A condition in branching logic; nil where an amount is asked for in another unit than that of the field's numbers.
    /// - Parameters:
    ///   - field: what the item is called that it asks about.
    ///   - boxes: of that item.
    ///   - unit: that of all of the field's numbers; nil where there are several, or none.
    package static func condition(_ condition: Condition, field: String, boxes: [String]?, unit: String?)
        -> String?
    {
        if condition.comparison == .exists {
            return isAnswered(condition.answer != .boolean(false), field: field, boxes: boxes)
        }
        if case .quantity(let measure) = condition.answer, measure.unit != unit { return nil }
        let value =
            switch condition.answer {
            case .boolean(let answer): answer ? "1" : "0"
            case .quantity(let measure): JSONNumber(measure.value).literal
            default: condition.answer.json.string ?? condition.answer.json.text
            }
        if boxes != nil {
            return "[\(field)(\(value))] = '\(condition.comparison == .notEqual ? "0" : "1")'"
        }
        let sign = condition.comparison == .notEqual ? "<>" : condition.comparison.rawValue
        return "[\(field)] \(sign) '\(value.replacing("'", with: "\\'"))'"
    }
}
