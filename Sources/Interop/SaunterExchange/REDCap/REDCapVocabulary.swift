import SaunterCore

/// Maps choices and conditions of Saunter to REDCap. The export of an instrument and the REDCap files of
/// datasets use it.
package enum REDCapVocabulary {
    /// The headings of the 18 columns of a data dictionary.
    package static let headings = REDCapColumn.allCases.map(\.rawValue)

    /// Choices in the notation of a dictionary. A vertical bar in a label becomes a slash, because it separates
    /// choices.
    package static func choices(_ choices: [(code: String, label: String)]) -> String {
        choices.map { "\($0.code), \($0.label.replacing("|", with: "/"))" }.joined(separator: " | ")
    }

    /// The end labels of a slider in the notation of a dictionary: left, middle and right.
    package static func sliderLabels(_ anchors: [String: String]) -> String {
        let labels = QuestionnaireText.anchorNames.map { anchors[$0]?.replacing("|", with: "/") ?? "" }
        return "\(labels[0]) | \(labels[1].isEmpty ? "" : "\(labels[1]) ")| \(labels[2])"
    }

    /// Whether a table becomes a matrix in REDCap: all rows are radio buttons, or all are checkboxes, and have the same
    /// choices.
    static func isMatrix(_ item: Item, _ texts: QuestionnaireText) -> Bool {
        guard item.type == .group, item.itemControl == .table, !item.repeats, let first = item.item.first
        else {
            return false
        }
        func type(_ row: Item) -> String { row.type.definition.redcap(row).type }
        func choices(_ row: Item) -> [String] {
            row.answerOption.map { "\($0.value.text), \(texts.options[row.linkId]?[$0.value.text] ?? "")" }
        }
        return item.item.allSatisfy { row in
            ["radio", "checkbox"].contains(type(row)) && type(row) == type(first)
                && choices(row) == choices(first)
        }
    }

    /// The codes of the boxes, if the item is a checkbox; otherwise nil.
    package static func boxes(_ item: Item?, codes: [String]) -> [String]? {
        guard let item, item.type.hasOptions, item.repeats else { return nil }
        return codes
    }

    /// The branching logic that holds if the field is answered, or if it is not. A checkbox field has one value for
    /// each of its boxes.
    package static func answeredLogic(_ isAnswered: Bool, field: String, boxes: [String]?) -> String {
        guard let boxes else { return "[\(field)] \(isAnswered ? "<>" : "=") ''" }
        let all = boxes.map { "[\(field)(\($0))] = '\(isAnswered ? "1" : "0")'" }
        return "(\(all.joined(separator: isAnswered ? " or " : " and ")))"
    }

    /// A condition as branching logic; nil if it compares an amount in another unit than the field's.
    /// - Parameters:
    ///   - field: the name of the field that the condition refers to.
    ///   - boxes: the codes of the field's boxes, if it is a checkbox.
    ///   - unit: the unit of all values of the field; nil if there are several, or none.
    package static func condition(_ condition: Condition, field: String, boxes: [String]?, unit: String?)
        -> String?
    {
        if condition.comparison == .exists {
            return answeredLogic(condition.answer != .boolean(false), field: field, boxes: boxes)
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
        let operation = condition.comparison == .notEqual ? "<>" : condition.comparison.rawValue
        return "[\(field)] \(operation) '\(value.replacing("'", with: "\\'"))'"
    }
}
