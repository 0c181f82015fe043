/// One row of records: an event of a participant, or an instance of a form in it.
struct REDCapRow {
    var record: String
    var event: REDCapProject.Event
    /// Nil where the event holds one form that does not repeat.
    var instance: Int?
    /// Place of the form in what is told.
    var part: Int
    /// Place of the schedule, by which rows of a record are sorted.
    var rank: Int
    /// Column of the form's table -> its cell; blank ones empty.
    var cells: [String: String]

    /// The value of a cell as it is told; empty for a blank.
    func value(_ cell: REDCapField.Cell, _ selection: REDCapSelection) -> String {
        let raw = cell.column.map { cells[$0] ?? "" } ?? cell.constant
        if raw.isEmpty {
            return selection.tellsReasons ? cell.reason.flatMap { cells[$0] } ?? "" : ""
        }
        guard selection.tellsLabels else { return raw }
        guard let choice = cell.choice else { return cell.labels[raw] ?? raw }
        if selection.tellsBoxLabels { return raw == "1" ? cell.labels[choice] ?? choice : "" }
        return raw == "1" ? "Checked" : "Unchecked"
    }
}
