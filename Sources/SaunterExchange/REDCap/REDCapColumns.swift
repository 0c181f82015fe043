/// The columns of a data dictionary.
enum REDCapColumn: String, CaseIterable {
    case field = "Variable / Field Name"
    case form = "Form Name"
    case section = "Section Header"
    case type = "Field Type"
    case label = "Field Label"
    case choices = "Choices, Calculations, OR Slider Labels"
    case note = "Field Note"
    case validation = "Text Validation Type OR Show Slider Number"
    case least = "Text Validation Min"
    case most = "Text Validation Max"
    case identifier = "Identifier?"
    case branching = "Branching Logic (Show field only if...)"
    case required = "Required Field?"
    case alignment = "Custom Alignment"
    case number = "Question Number (surveys only)"
    case matrix = "Matrix Group Name"
    case ranking = "Matrix Ranking?"
    case annotation = "Field Annotation"

    /// As the API of REDCap calls it.
    private var short: String {
        switch self {
        case .field: "field_name"
        case .form: "form_name"
        case .section: "section_header"
        case .type: "field_type"
        case .label: "field_label"
        case .choices: "select_choices_or_calculations"
        case .note: "field_note"
        case .validation: "text_validation_type_or_show_slider_number"
        case .least: "text_validation_min"
        case .most: "text_validation_max"
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

    /// A column by its heading; what stands in brackets at its end differs between versions.
    init?(heading: String) {
        func plain(_ text: String) -> String {
            let head = text.split(separator: "(").first.map(String.init) ?? text
            return head.lowercased().filter { $0.isLetter || $0.isNumber }
        }
        let wanted = plain(heading)
        let older = ["choicesorcalculations": Self.choices, "textvalidationtype": .validation]
        guard
            let found = Self.allCases.first(where: {
                plain($0.rawValue) == wanted || plain($0.short) == wanted
            })
                ?? older[wanted]
        else { return nil }
        self = found
    }
}
