/// The columns of a REDCap data dictionary; the raw values are their headings.
enum REDCapColumn: String, CaseIterable {
    case field = "Variable / Field Name"
    case form = "Form Name"
    case section = "Section Header"
    case type = "Field Type"
    case label = "Field Label"
    case choices = "Choices, Calculations, OR Slider Labels"
    case note = "Field Note"
    case validation = "Text Validation Type OR Show Slider Number"
    case minimum = "Text Validation Min"
    case maximum = "Text Validation Max"
    case identifier = "Identifier?"
    case branching = "Branching Logic (Show field only if...)"
    case required = "Required Field?"
    case alignment = "Custom Alignment"
    case number = "Question Number (surveys only)"
    case matrix = "Matrix Group Name"
    case ranking = "Matrix Ranking?"
    case annotation = "Field Annotation"

    /// The name of the column in the REDCap API.
    private var apiName: String {
        switch self {
        case .field: "field_name"
        case .form: "form_name"
        case .section: "section_header"
        case .type: "field_type"
        case .label: "field_label"
        case .choices: "select_choices_or_calculations"
        case .note: "field_note"
        case .validation: "text_validation_type_or_show_slider_number"
        case .minimum: "text_validation_min"
        case .maximum: "text_validation_max"
        case .identifier: "identifier"
        case .branching: "branching_logic"
        case .required: "required_field"
        case .alignment: "custom_alignment"
        case .number: "question_number"
        case .matrix: "matrix_group_name"
        case .ranking: "matrix_ranking"
        case .annotation: "field_annotation"
        }
    }

    /// Finds a column by its heading. Text in brackets at the end is ignored, because it differs between versions of
    /// REDCap.
    init?(heading: String) {
        func normalise(_ text: String) -> String {
            let head = text.split(separator: "(").first.map(String.init) ?? text
            return head.lowercased().filter { $0.isLetter || $0.isNumber }
        }
        let wanted = normalise(heading)
        let olderHeadings = ["choicesorcalculations": Self.choices, "textvalidationtype": .validation]
        guard
            let found = Self.allCases.first(where: {
                normalise($0.rawValue) == wanted || normalise($0.apiName) == wanted
            })
                ?? olderHeadings[wanted]
        else { return nil }
        self = found
    }
}
