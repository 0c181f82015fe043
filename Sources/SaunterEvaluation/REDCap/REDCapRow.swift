/// One row of the records: an event of a participant, or an instance of a form in it.
struct REDCapRow {
    var record: String
    var event: REDCapProject.Event
    /// Nil if the form does not repeat in the event.
    var instance: Int?
    /// The index of the form among the exported forms.
    var part: Int
    /// The rank of the schedule, by which the rows of a record are sorted.
    var rank: Int
    /// The column of the form's table -> its cell; blank cells are empty.
    var cells: [String: String]

    /// The value of a column in records, as a code or a label. Empty for a blank.
    func value(_ recordColumn: REDCapField.RecordColumn, _ selection: REDCapSelection) -> String {
        let raw = recordColumn.column.map { cells[$0] ?? "" } ?? recordColumn.constant
        if raw.isEmpty {
            return selection.includesReasons ? recordColumn.reason.flatMap { cells[$0] } ?? "" : ""
        }
        guard selection.usesLabels else { return raw }
        guard let choice = recordColumn.choice else { return recordColumn.labels[raw] ?? raw }
        if selection.usesCheckboxLabels { return raw == "1" ? recordColumn.labels[choice] ?? choice : "" }
        return raw == "1" ? "Checked" : "Unchecked"
    }
}
