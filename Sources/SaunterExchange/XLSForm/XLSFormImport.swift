import SaunterCore

/// Reads XLSForms, workbooks (.xlsx) and CSV files alike, into an instrument. Pure: bytes in, files out.
package enum XLSFormImport {
    /// The sheets that a form is read from; what else a workbook holds is left alone.
    private static let sheets: Set = ["survey", "choices", "settings"]

    /// - Parameter name: what the instrument is called where the form does not say; most often the file's name.
    package static func read(_ bytes: [UInt8], name: String) throws(ImportRefusal) -> [Result<
        ImportedInstrument, ImportRefusal
    >] {
        let sheets: [Grid]
        var unread: [Remark] = []
        if bytes.starts(with: [0x50, 0x4B]) {
            let book = try Workbook(bytes, wanted: Self.sheets, plain: XLSFormTable.plain)
            sheets = book.sheets
            unread = book.remarks
        } else if bytes.starts(with: [0xD0, 0xCF, 0x11, 0xE0]) {
            throw ImportRefusal(
                place: "", detail: "this is a workbook in the old format .xls; save it as .xlsx or as CSV")
        } else {
            sheets = try parted(Grid(csv: bytes))
        }
        func sheet(_ wanted: String) -> XLSFormTable? {
            sheets.first { XLSFormTable.plain($0.name ?? "") == wanted }.flatMap { XLSFormTable($0) }
        }
        guard let survey = sheet("survey") else {
            throw ImportRefusal(place: "", detail: "there is no sheet \"survey\" with rows in it")
        }
        guard survey["type"] != nil else {
            throw ImportRefusal(
                place: survey.grid.place(row: survey.header.number, column: nil),
                detail: "the sheet survey needs the column type")
        }
        var reading = XLSFormReading(
            survey: survey, choices: sheet("choices"), settings: sheet("settings"), name: name)
        reading.remarks = unread
        let instrument = Result { () throws(ImportRefusal) in try reading.instrument() }
        return [instrument]
    }

    /// The sheets of one CSV file: a name in the first column begins one. A file whose first row has a column `type` is the
    /// sheet survey itself.
    private static func parted(_ grid: Grid) -> [Grid] {
        if grid.rows.first?.cells.contains(where: { XLSFormTable.plain($0) == "type" }) == true,
            grid.rows.first?.cells.first?.isEmpty == false
        {
            return [Grid(name: "survey", rows: grid.rows)]
        }
        var sheets: [Grid] = []
        for row in grid.rows {
            let rest = Array(row.cells.dropFirst())
            if let name = row.cells.first?.nonBlank { sheets.append(Grid(name: name, rows: [])) }
            guard !sheets.isEmpty, rest.contains(where: { !$0.isEmpty }) else { continue }
            // The empty first cell stays, so that columns are called as in the file.
            sheets[sheets.count - 1].rows.append(.init(number: row.number, cells: [""] + rest))
        }
        return sheets
    }
}

/// A sheet with its headings.
struct XLSFormTable {
    /// Headings that older forms use.
    private static let synonyms = [
        "caption": "label", "list name": "list_name", "list_name": "list_name", "value": "name",
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
        "control::appearance": "appearance", "form_title": "form_title", "set form title": "form_title",
        "title": "form_title", "set form id": "form_id", "id_string": "form_id",
    ]

    let grid: Grid
    let header: Grid.Row
    let rows: ArraySlice<Grid.Row>
    private var columns: [String: Int] = [:]
    /// Heading -> language as it is called there -> column.
    private(set) var translated: [String: [(language: String, column: Int)]] = [:]
    /// Columns under a heading that an earlier one has, which are read from that one alone.
    private(set) var repeated: [Int] = []

    init?(_ grid: Grid) {
        guard let header = grid.rows.first, grid.rows.count > 1 else { return nil }
        self.grid = grid
        self.header = header
        rows = grid.rows.dropFirst()
        for (index, cell) in header.cells.enumerated() {
            let heading = Self.plain(cell)
            guard !heading.isEmpty else { continue }
            let known = Self.synonyms[heading] ?? heading
            if let base = ["label", "hint", "constraint_message"].first(where: { heading.hasPrefix($0 + ":") }
            ) {
                let language = String(cell.dropFirst(base.count).drop { $0 == ":" || $0 == " " })
                if translated[base]?.contains(where: { $0.language == language }) == true {
                    repeated.append(index)
                } else {
                    translated[base, default: []].append((language, index))
                }
            } else if columns[known] == nil {
                columns[known] = index
            } else {
                repeated.append(index)
            }
        }
    }

    subscript(column: String) -> Int? { columns[column] }

    /// Whether a plain heading stands for another one.
    static func isSynonym(_ heading: String) -> Bool { synonyms[heading] != nil }

    /// The trimmed text of a cell; empty where there is none.
    func cell(_ row: Grid.Row, _ column: String) -> String {
        columns[column].map { cell(row, $0) } ?? ""
    }

    func cell(_ row: Grid.Row, _ column: Int) -> String {
        guard row.cells.indices.contains(column) else { return "" }
        return row.cells[column].trimmed
    }

    func place(_ row: Grid.Row, _ column: String) -> String {
        grid.place(row: row.number, column: columns[column])
    }

    /// All cells of a row under their headings.
    func verbatim(_ row: Grid.Row) -> JSONObject {
        var object = JSONObject()
        for (index, heading) in header.cells.enumerated() {
            let cell = cell(row, index)
            if !cell.isEmpty, !heading.isEmpty, object[heading] == nil { object[heading] = .string(cell) }
        }
        return object
    }

    static func plain(_ text: String) -> String {
        text.lowercased().split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
}
