import SaunterCore

/// One field of a form, with its row in the data dictionary and its columns in records.
package struct REDCapField: Sendable {
    /// One column of the field. A checkbox has one column per option, any other field has one.
    package struct RecordColumn: Sendable {
        /// The name of the column in records, such as `symptoms___1` for a checkbox.
        package let name: String
        /// The code of the option. Nil if the field is not a checkbox.
        package let choice: String?
        /// The labels of the values by code.
        package let labels: [String: String]
        /// The column of the form's table that contains the value. Nil if the value is constant.
        let column: String?
        /// The column that contains the reason for a blank.
        let reason: String?
        /// The value if `column` is nil.
        let constant: String
    }

    /// The name of the field.
    package let name: String
    /// The name of the form.
    package let form: String
    /// The 18 columns of the data dictionary; blank ones are empty. Nil for the status field of a form, which REDCap
    /// creates itself.
    package let dictionary: [String]?
    /// The columns of the field in records.
    package let recordColumns: [RecordColumn]

    /// The label of the field.
    package var label: String { dictionary.map { $0[4] } ?? "Complete?" }

    /// The status field of a form. A submitted sheet is complete.
    static func status(of form: String, name: String) -> REDCapField {
        REDCapField(
            name: name, form: form, dictionary: nil,
            recordColumns: [
                RecordColumn(
                    name: name, choice: nil,
                    labels: ["0": "Incomplete", "1": "Unverified", "2": "Complete"], column: nil, reason: nil,
                    constant: "2")
            ])
    }
}
