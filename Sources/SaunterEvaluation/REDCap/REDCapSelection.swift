import SaunterCore

/// Which records are told, and how.
package struct REDCapSelection: Sendable {
    package enum Shape: Sendable {
        /// A row per event and instance, a column per field.
        case flat
        /// A row per value.
        case values
    }

    package enum Format: Sendable, Equatable {
        case json
        /// With what stands between two cells.
        case csv(UInt8)
    }

    /// Whom; nil is everybody.
    package var records: [String]?
    /// Of whom anything changed between these, ends included.
    package var changed: (from: Instant, to: Instant)?
    /// Names of fields and of forms, all of which are told; nil for both is everything.
    package var fields: [String]?
    package var forms: [String]?
    /// Unique names; nil is all.
    package var events: [String]?
    package var shape = Shape.flat
    package var format = Format.json
    /// Labels in place of codes.
    package var tellsLabels = false
    /// The label of a chosen box in place of a tick.
    package var tellsBoxLabels = false
    package var tellsHeaderLabels = false
    /// Why a cell is blank, in the dataset's codes, in place of the blank.
    package var tellsReasons = false

    package init() {}

    /// What of each form is told, in the project's order; forms of which nothing is are left out.
    func parts(of project: REDCapProject) -> [(form: REDCapForm, fields: [REDCapField])] {
        let everything = fields == nil && forms == nil
        let names = Set(fields ?? [])
        let whole = Set(forms ?? [])
        return project.forms.compactMap { form in
            let told = form.fields.filter { field in
                field.name != "record_id"
                    && (everything || whole.contains(form.name) || names.contains(field.name))
            }
            return told.isEmpty ? nil : (form, told)
        }
    }
}
