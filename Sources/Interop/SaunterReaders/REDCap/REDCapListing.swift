import SaunterCore
import SaunterEvaluation
import SaunterServer

/// A reply about the structure of a project: a list of rows, or one row for `project`.
struct REDCapListing {
    /// The version of REDCap whose behaviour clients may expect.
    static let version = "13.7.0"

    private static let dictionaryNames = [
        "field_name", "form_name", "section_header", "field_type", "field_label",
        "select_choices_or_calculations", "field_note", "text_validation_type_or_show_slider_number",
        "text_validation_min", "text_validation_max", "identifier", "branching_logic", "required_field",
        "custom_alignment", "question_number", "matrix_group_name", "matrix_ranking", "field_annotation",
    ]

    private let names: [String]
    private let rows: [[JSON]]
    private let isSingle: Bool

    /// - Parameter content: one of `REDCapRoutes.contents` except `record` and `version`.
    /// - Throws: `request-invalid` if a parameter names an unknown field, form or arm.
    init(_ content: String, _ project: REDCapProject, _ parameters: REDCapParameters) throws(Problem) {
        isSingle = content == "project"
        switch content {
        case "metadata": (names, rows) = (Self.dictionaryNames, try Self.dictionary(project, parameters))
        case "exportFieldNames":
            names = ["original_field_name", "choice_value", "export_field_name"]
            rows = try Self.fieldNames(project, parameters)
        case "instrument":
            names = ["instrument_name", "instrument_label"]
            rows = project.forms.map { [.string($0.name), .string($0.label)] }
        case "arm":
            names = ["arm_num", "name"]
            let numbers = try Self.arms(project, parameters)
            rows = project.arms.enumerated().filter { numbers.contains($0.offset + 1) }
                .map { [.int($0.offset + 1), .string($0.element)] }
        case "event":
            names = ["event_name", "arm_num", "unique_event_name", "custom_event_label", "event_id"]
            let numbers = try Self.arms(project, parameters)
            rows = project.events.enumerated().filter { numbers.contains($0.element.arm) }.map {
                index, event in
                [
                    .string(event.label), .int(event.arm), .string(event.uniqueName), .string(""),
                    .int(index + 1),
                ]
            }
        case "formEventMapping":
            names = ["arm_num", "unique_event_name", "form"]
            let numbers = try Self.arms(project, parameters)
            rows = project.events.filter { numbers.contains($0.arm) }.flatMap { event in
                event.forms.map { [.int(event.arm), .string(event.uniqueName), .string($0)] }
            }
        case "repeatingFormsEvents":
            names = ["event_name", "form_name", "custom_form_label"]
            rows = project.events.filter { $0.schedule != nil }.flatMap { event in
                event.forms.map { [.string(event.uniqueName), .string($0), .string("")] }
            }
        case "project": (names, rows) = Self.project(project)
        // Saunter does not publish its users, so the lists of data access groups and users are empty.
        case "dag":
            (names, rows) = (["data_access_group_name", "unique_group_name", "data_access_group_id"], [])
        default: (names, rows) = (["username", "email", "firstname", "lastname", "expiration"], [])
        }
    }

    var json: JSON {
        let objects = rows.map { row in
            JSON.object(JSONObject(zip(names, row).map { JSONObject.Member(name: $0, value: $1) }))
        }
        return isSingle ? objects[0] : .array(objects)
    }

    func csv(_ delimiter: UInt8) -> [UInt8] {
        let lines = [names] + rows.map { $0.map { $0.string ?? $0.text } }
        return lines.flatMap { REDCapCSV.record($0, delimiter: delimiter) }
    }

    private static func dictionary(_ project: REDCapProject, _ parameters: REDCapParameters) throws(Problem)
        -> [[JSON]]
    {
        let fields = try parameters.list("fields", of: Set(project.fields.map(\.name)))
        let forms = try parameters.list("forms", of: Set(project.forms.map(\.name)))
        let isWhole = fields == nil && forms == nil
        return project.fields.filter { field in
            isWhole || fields?.contains(field.name) == true || forms?.contains(field.form) == true
        }
        .compactMap { $0.dictionary?.map(JSON.string) }
    }

    private static func fieldNames(_ project: REDCapProject, _ parameters: REDCapParameters) throws(Problem)
        -> [[JSON]]
    {
        let wanted = try parameters.list("field", of: Set(project.fields.map(\.name)))
        return project.fields.filter { wanted?.contains($0.name) ?? true }.flatMap { field in
            field.recordColumns.map {
                [.string(field.name), .string($0.choice ?? ""), .string($0.name)]
            }
        }
    }

    private static func arms(_ project: REDCapProject, _ parameters: REDCapParameters) throws(Problem)
        -> [Int]
    {
        let all = Array(1...max(1, project.arms.count))
        return try parameters.list("arms", of: Set(all.map(String.init)))?.compactMap { Int($0) } ?? all
    }

    private static func project(_ project: REDCapProject) -> ([String], [[JSON]]) {
        let study = project.study.newest
        let missing = MissingReason.allCases.map { "\($0.code), \($0.code.replacing("_", with: " "))" }
        let members: KeyValuePairs<String, JSON> = [
            "project_id": 1, "project_title": .string(study.text["en"]?.title ?? study.code),
            "creation_time": "", "production_time": "", "in_production": 1,
            "project_language": .string("English"), "purpose": 2, "purpose_other": "", "project_notes": "",
            "custom_record_label": "", "secondary_unique_field": "", "is_longitudinal": 1,
            "has_repeating_instruments_or_events": 1, "surveys_enabled": 0, "scheduling_enabled": 0,
            "record_autonumbering_enabled": 0, "randomization_enabled": 0, "ddp_enabled": 0,
            "project_irb_number": "", "project_grant_number": "", "project_pi_firstname": "",
            "project_pi_lastname": "", "display_today_now_button": 0,
            "missing_data_codes": .string(missing.joined(separator: " | ")), "external_modules": "",
            "bypass_branching_erase_field_prompt": 0,
        ]
        return (members.map(\.key), [members.map(\.value)])
    }
}
