import SaunterCore
import SaunterStore

/// `meta/variables.csv`: the definitions of all variables, one row per version of the study and variable.
struct VariableDefinitions {
    private static let header = [
        "study_version", "variable", "title", "kind", "definition", "keyed_by", "key_set", "code_set",
        "free_text", "treatment", "visible_to", "after", "text", "above", "below", "equal",
    ]

    let definitions: StudyDefinitions
    let profile: DatasetProfile

    var csv: [UInt8] {
        var text = CSVText(header: Self.header)
        let instruments = Set(definitions.instruments.map(\.code))
        for version in definitions.versions {
            let included = IncludedVariables(version, instruments: instruments, profile)
            let words =
                version.study.text[definitions.language]
                ?? version.study.languages.first
                .flatMap { version.study.text[$0] }
            for variable in version.study.variables {
                text.add(
                    [version.version] + row(variable, included, words?.variables[variable.id]))
            }
        }
        return text.bytes
    }

    private func row(
        _ variable: TailoringVariable, _ included: IncludedVariables, _ words: VariableText?
    ) -> [String?] {
        let shape = included.published.variables.shape(of: variable.id)
        let treatment: Treatment = included.ids.contains(variable.id) ? .kept : .dropped
        return [
            variable.id, words?.title, variable.kind.name, variable.definition.text,
            shape?.key.map(Self.name), shape?.key.flatMap(Self.valueSet),
            shape.flatMap { Self.valueSet($0.value) },
            shape?.isFreeText == true ? "1" : "0", treatment.rawValue, Self.readers(variable.shown),
            variable.after.isEmpty ? nil : variable.after.joined(separator: " "), words?.text, words?.above,
            words?.below, words?.equal,
        ]
    }

    /// What the keys are.
    private static func name(_ label: VariableShape.Label) -> String {
        switch label {
        case .option: "option"
        case .item: "item"
        case .questionnaire: "instrument"
        case .feature: "feature"
        case .hour: "hour"
        case .weekday: "weekday"
        case .date: "date"
        case .sheet: "sheet"
        case .source: "source"
        case .location: "location"
        case .plain: "value"
        }
    }

    /// The set in `meta/value_labels.csv` with the labels of the codes.
    private static func valueSet(_ label: VariableShape.Label) -> String? {
        switch label {
        case .option(let questionnaire, let item): "\(questionnaire).\(item)"
        case .weekday: "weekday"
        default: nil
        }
    }

    private static func readers(_ visibility: TailoringVariable.Visibility) -> String? {
        switch visibility {
        case .hidden: nil
        case .staff: "staff"
        case .participants: "participants staff"
        }
    }
}
