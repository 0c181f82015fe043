import SaunterCore

/// Reads REDCap data dictionaries: each form becomes an instrument. Pure: bytes in, files out.
package enum REDCapImport {
    /// The forms of a dictionary, one by one.
    package static func read(_ bytes: [UInt8]) throws(ImportRefusal) -> [Result<
        ImportedInstrument, ImportRefusal
    >] {
        let grid = try Grid(csv: bytes)
        guard let header = grid.rows.first else {
            throw ImportRefusal(place: "", detail: "the file is empty")
        }
        var columns: [REDCapColumn: Int] = [:]
        var unread: [Remark] = []
        for (index, heading) in header.cells.enumerated() {
            if let column = REDCapColumn(heading: heading), columns[column] == nil {
                columns[column] = index
            } else if grid.rows.dropFirst().contains(where: {
                $0.cells.indices.contains(index) && $0.cells[index].nonBlank != nil
            }) {
                unread.append(
                    Remark(
                        place: grid.place(row: header.number, column: index),
                        detail: "the column \(heading.prefix(60)) is left out: a dictionary has no such one, "
                            + "or has it already"))
            }
        }
        guard columns[.field] != nil, columns[.form] != nil, columns[.type] != nil else {
            throw ImportRefusal(
                place: "line \(header.number)",
                detail: "a data dictionary has the columns Variable / Field Name, Form Name and Field Type")
        }
        var forms: [(name: String, fields: [REDCapRow])] = []
        var nameless: [REDCapRow] = []
        for row in grid.rows.dropFirst() {
            let fields = REDCapRow(row, columns)
            guard !fields[.field].isEmpty else {
                if !fields.isBlank { nameless.append(fields) }
                continue
            }
            guard !fields[.type].isEmpty else {
                throw ImportRefusal(place: fields.place(.type), detail: "the field has no type")
            }
            if let place = forms.firstIndex(where: { $0.name == fields[.form] }) {
                forms[place].fields.append(fields)
            } else {
                forms.append((fields[.form], [fields]))
            }
        }
        guard !forms.isEmpty else {
            throw ImportRefusal(place: "line \(header.number)", detail: "there are no fields")
        }
        guard forms.count <= 1000 else { throw ImportRefusal(place: "", detail: "more than 1000 forms") }
        var codes = NameMaker()
        let names = Set(forms.map(\.name))
        let known = Set(forms.flatMap { form in form.fields.map { $0[.field] } })
        return forms.enumerated().map { index, form in
            let code = codes.take(form.name.isEmpty ? "form" : form.name)
            // What belongs to no form is told of with the first.
            let left = nameless.filter {
                $0[.form] == form.name || index == 0 && !names.contains($0[.form])
            }
            let told = (index == 0 ? unread : []) + left.map(\.leftOut)
            return Result { () throws(ImportRefusal) in
                var reading = REDCapReading(
                    form: form.name, code: code, known: known, remarks: told)
                return try reading.instrument(form.fields)
            }
        }
    }
}

/// One field of a dictionary.
struct REDCapRow {
    let line: Int
    private let cells: [REDCapColumn: String]

    init(_ row: Grid.Row, _ columns: [REDCapColumn: Int]) {
        line = row.number
        cells = columns.compactMapValues { index in
            guard row.cells.indices.contains(index) else { return nil }
            let cell = row.cells[index]
            return cell.nonBlank == nil ? nil : cell
        }
    }

    var isBlank: Bool { cells.isEmpty }

    /// That the row is no field, because it has no name.
    var leftOut: Remark {
        Remark(place: place(.field), detail: "the row has no field name and is left out")
    }

    subscript(column: REDCapColumn) -> String {
        let cell = cells[column]?.trimmed ?? ""
        // So R writes a cell without a value.
        return cell == "NA" && ![.field, .form, .label, .choices].contains(column) ? "" : cell
    }

    /// As it stands in the file.
    func verbatim(_ column: REDCapColumn) -> String? { cells[column] }

    func place(_ column: REDCapColumn) -> String { "line \(line), \(column.rawValue)" }
}
