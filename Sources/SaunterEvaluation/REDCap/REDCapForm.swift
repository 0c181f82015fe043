import SaunterCore
import SaunterExchange

/// One form of a project: an instrument, or the data of the participant.
package struct REDCapForm: Sendable {
    /// The unique name of the form.
    package let name: String
    /// The title of the form.
    package let label: String
    /// The fields in the order of the form; the last one is its status.
    package let fields: [REDCapField]
    /// The rows of the form. Nil for the participant's form, which uses the table `participants`.
    let table: Table?

    static let participantColumns = ["arm", "enrolments", "status", "language", "first_enrolled_on"]

    /// The participant's form. Each record has one row of it, in the REDCap event `enrolment`.
    static func participant(_ definitions: StudyDefinitions, name: String, _ names: inout REDCapNames)
        -> REDCapForm
    {
        let labels = CodeLabels(definitions: definitions)
        var fields = [
            REDCapField(
                name: "record_id", form: name,
                dictionary: dictionary(
                    REDCapDictionary.row(
                        field: "record_id", form: name, type: "text", label: "Participant (pseudonym)")),
                recordColumns: [
                    .init(
                        name: "record_id", choice: nil, labels: [:], column: "participant_id", reason: nil,
                        constant: "")
                ])
        ]
        let status = names.makeName("\(name)_complete", of: "\(name)/complete")
        for column in Tables.participants.columns where participantColumns.contains(column.name) {
            let arms = column.name == "arm" ? definitions.arms.map { (code: $0, label: $0) } : []
            fields.append(
                field(
                    of: column, form: name,
                    name: names.makeName("\(name)_\(column.name)", of: "\(name)/\(column.name)"),
                    choices: labels.of(column) + arms))
        }
        fields.append(.status(of: name, name: status))
        return REDCapForm(name: name, label: "Enrolment", fields: fields, table: nil)
    }

    /// The form of an instrument: columns of the sheet, followed by its answers and scores.
    init(
        _ instrument: InstrumentHistory, _ definitions: StudyDefinitions, name: String,
        _ names: inout REDCapNames
    ) {
        let labels = CodeLabels(definitions: definitions)
        let status = names.makeName("\(name)_complete", of: "\(name)/complete")
        var builder = REDCapFormBuilder(instrument: instrument, definitions: definitions, form: name)
        var fields: [REDCapField] = []
        for column in builder.sheetColumns {
            fields.append(
                Self.field(
                    of: column, form: name,
                    name: names.makeName("\(name)_\(column.name)", of: "\(name)/\(column.name)"),
                    choices: labels.of(column)))
        }
        for item in builder.items { fields += builder.fields(item, &names) }
        fields += builder.scoreFields(&names)
        fields.append(.status(of: name, name: status))
        self.init(
            name: name, label: instrument.newest.text(in: instrument.language).title, fields: fields,
            table: builder.table)
    }

    private init(name: String, label: String, fields: [REDCapField], table: Table?) {
        self.name = name
        self.label = label
        self.fields = fields
        self.table = table
    }

    /// A field for a column that is not an answer.
    private static func field(
        of column: Column, form: String, name: String, choices: [(code: String, label: String)]
    ) -> REDCapField {
        let type = column.type == .boolean ? "yesno" : choices.isEmpty ? "text" : "radio"
        let validation: String? =
            switch column.type {
            case .integer: "integer"
            case .number: "number"
            case .date: "date_ymd"
            case .string, .boolean, .instant, .local, .time: nil
            }
        return REDCapField(
            name: name, form: form,
            dictionary: dictionary(
                REDCapDictionary.row(
                    field: name, form: form, type: type, label: column.label,
                    choices: choices.isEmpty ? nil : REDCapVocabulary.choices(choices), note: column.unit,
                    validation: validation
                )),
            recordColumns: [
                .init(
                    name: name, choice: nil, labels: byCode(column, choices), column: column.name,
                    reason: nil,
                    constant: "")
            ])
    }

    private static func byCode(_ column: Column, _ choices: [(code: String, label: String)])
        -> [String: String]
    {
        column.type == .boolean
            ? ["0": "No", "1": "Yes"] : Dictionary(choices.map { ($0.code, $0.label) }) { first, _ in first }
    }

    static func dictionary(_ row: [String?]) -> [String] { row.map { $0 ?? "" } }
}
