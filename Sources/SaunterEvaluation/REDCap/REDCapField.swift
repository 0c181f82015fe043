import SaunterCore

/// One field of a form, as the data dictionary has it and as records hold it.
package struct REDCapField: Sendable {
    /// One column of the field: a checkbox has one for every option, anything else a single one.
    package struct Cell: Sendable {
        package let name: String
        /// The option's code; nil where the field is no checkbox.
        package let choice: String?
        /// What the values are called, by code.
        package let labels: [String: String]
        /// The column of the form's table that holds it; nil where every row holds the same.
        let column: String?
        /// The column that says why it is blank.
        let reason: String?
        let constant: String
    }

    package let name: String
    package let form: String
    /// The 18 columns of the data dictionary, blank ones empty. Nil for what REDCap makes itself: a form's status.
    package let dictionary: [String]?
    package let cells: [Cell]

    /// The words of the field.
    package var label: String { dictionary.map { $0[4] } ?? "Complete?" }

    /// Whether each option has a column of its own.
    package var isCheckbox: Bool { cells.first?.choice != nil }

    /// The status that REDCap keeps of every form: a sheet that was handed in is complete.
    static func status(of form: String, name: String) -> REDCapField {
        REDCapField(
            name: name, form: form, dictionary: nil,
            cells: [
                Cell(
                    name: name, choice: nil,
                    labels: ["0": "Incomplete", "1": "Unverified", "2": "Complete"], column: nil, reason: nil,
                    constant: "2")
            ])
    }
}
