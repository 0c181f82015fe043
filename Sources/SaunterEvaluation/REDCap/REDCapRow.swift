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

    /// The value of a cell in the requested form. Empty for a blank.
    func value(_ cell: REDCapField.Cell, _ selection: REDCapSelection) -> String {
        let raw = cell.column.map { cells[$0] ?? "" } ?? cell.constant
        if raw.isEmpty {
            return selection.includesReasons ? cell.reason.flatMap { cells[$0] } ?? "" : ""
        }
        guard selection.usesLabels else { return raw }
        guard let choice = cell.choice else { return cell.labels[raw] ?? raw }
        if selection.usesCheckboxLabels { return raw == "1" ? cell.labels[choice] ?? choice : "" }
        return raw == "1" ? "Checked" : "Unchecked"
    }
}
