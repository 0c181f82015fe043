import SaunterCore

/// A worksheet of a form, with access by heading.
struct XLSFormTable {
    /// Other spellings of a heading, in lower case -> the heading that the reader uses.
    private static let synonyms = [
        "caption": "label", "list name": "list_name", "value": "name",
        "command": "type",
        "tag": "name", "count": "repeat_count", "relevance": "relevant", "skip": "relevant",
        "readonly": "read_only",
        "read only": "read_only", "constraint message": "constraint_message",
        "constraining message": "constraint_message",
        "required message": "required_message", "choice filter": "choice_filter", "bind:relevant": "relevant",
        "bind::relevant": "relevant", "bind:required": "required", "bind::required": "required",
        "bind:constraint": "constraint", "bind::constraint": "constraint", "bind:readonly": "read_only",
        "bind::readonly": "read_only", "bind:calculate": "calculation", "bind::calculate": "calculation",
        "calculate": "calculation", "bind:jr:constraintmsg": "constraint_message",
        "bind::jr:constraintmsg": "constraint_message", "control:appearance": "appearance",
        "control::appearance": "appearance", "set form title": "form_title",
        "title": "form_title", "set form id": "form_id", "id_string": "form_id",
    ]

    let worksheet: Worksheet
    let header: Worksheet.Row
    let rows: ArraySlice<Worksheet.Row>
    private var columns: [String: Int] = [:]
    /// Heading -> languages as the form names them, with their columns.
    private(set) var translated: [String: [(language: String, column: Int)]] = [:]
    /// Columns with the same heading as an earlier column. They are ignored.
    private(set) var duplicateColumns: [Int] = []

    init?(_ worksheet: Worksheet) {
        guard let header = worksheet.rows.first, worksheet.rows.count > 1 else { return nil }
        self.worksheet = worksheet
        self.header = header
        rows = worksheet.rows.dropFirst()
        for (index, cell) in header.cells.enumerated() {
            let heading = Self.normalise(cell)
            guard !heading.isEmpty else { continue }
            let known = Self.synonyms[heading] ?? heading
            if let base = ["label", "hint", "constraint_message"].first(where: { heading.hasPrefix($0 + ":") }
            ) {
                let language = String(cell.dropFirst(base.count).drop { $0 == ":" || $0 == " " })
                if translated[base]?.contains(where: { $0.language == language }) == true {
                    duplicateColumns.append(index)
                } else {
                    translated[base, default: []].append((language, index))
                }
            } else if columns[known] == nil {
                columns[known] = index
            } else {
                duplicateColumns.append(index)
            }
        }
    }

    subscript(column: String) -> Int? { columns[column] }

    /// Whether a normalised heading is a synonym of another one.
    static func isSynonym(_ heading: String) -> Bool { synonyms[heading] != nil }

    /// The trimmed text of a cell; empty if the cell does not exist.
    func cell(_ row: Worksheet.Row, _ column: String) -> String {
        columns[column].map { cell(row, $0) } ?? ""
    }

    func cell(_ row: Worksheet.Row, _ column: Int) -> String {
        guard row.cells.indices.contains(column) else { return "" }
        return row.cells[column].trimmed
    }

    /// The location of a cell, for remarks.
    func location(_ row: Worksheet.Row, _ column: String) -> String {
        worksheet.location(row: row.number, column: columns[column])
    }

    /// The cells of a row that are not blank, by heading.
    func verbatim(_ row: Worksheet.Row) -> JSONObject {
        var object = JSONObject()
        for (index, heading) in header.cells.enumerated() {
            let cell = cell(row, index)
            if !cell.isEmpty, !heading.isEmpty, object[heading] == nil { object[heading] = .string(cell) }
        }
        return object
    }

    /// A heading in lower case with single spaces.
    static func normalise(_ text: String) -> String {
        text.lowercased().split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
}
