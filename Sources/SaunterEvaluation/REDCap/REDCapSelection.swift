import SaunterCore

/// Which records and fields are exported, in which layout and in which syntax.
package struct REDCapSelection: Sendable {
    /// The layout of the rows.
    package enum Shape: Sendable {
        /// A row per event and instance, a column per field.
        case flat
        /// A row per value.
        case values
    }

    /// The syntax of the output.
    package enum Format: Sendable, Equatable {
        case json
        /// With the delimiter of cells.
        case csv(UInt8)
    }

    /// Pseudonyms of participants; nil means all.
    package var records: [String]?
    /// Only participants with a change in this period; both ends are inclusive.
    package var changed: (from: Instant, to: Instant)?
    /// Names of fields. These fields, and all fields of the forms in `forms`, are exported. If both are nil, everything
    /// is exported.
    package var fields: [String]?
    /// Names of forms; see `fields`.
    package var forms: [String]?
    /// Unique event names; nil means all.
    package var events: [String]?
    /// The layout of the rows.
    package var shape = Shape.flat
    /// The syntax of the output.
    package var format = Format.json
    /// Whether values are labels instead of codes.
    package var usesLabels = false
    /// Whether a chosen checkbox is written as its label instead of `Checked`.
    package var usesCheckboxLabels = false
    /// Whether the header of a CSV file contains labels instead of names.
    package var usesHeaderLabels = false
    /// Whether a blank cell contains the code of its reason.
    package var includesReasons = false

    /// Creates a selection of everything, as codes in flat JSON.
    package init() {}

    /// The exported fields of each form, in the order of the project. Forms without an exported field are omitted.
    func parts(of project: REDCapProject) -> [(form: REDCapForm, fields: [REDCapField])] {
        let everything = fields == nil && forms == nil
        let names = Set(fields ?? [])
        let wholeForms = Set(forms ?? [])
        return project.forms.compactMap { form in
            let fields = form.fields.filter { field in
                field.name != "record_id"
                    && (everything || wholeForms.contains(form.name) || names.contains(field.name))
            }
            return fields.isEmpty ? nil : (form, fields)
        }
    }
}
