import SaunterCore

/// Imports REDCap data dictionaries. Each form becomes an instrument. It reads bytes and returns files, without any
/// I/O.
package enum REDCapImport {
    /// The forms of a dictionary, in the order of the file. Throws if the file is not a data dictionary.
    /// - Parameter versions: the code of an instrument -> the version that it gets in place of 1.0.0.
    package static func read(_ bytes: [UInt8], versions: [String: String] = [:]) throws(ImportError)
        -> [Result<
            ImportedInstrument, ImportError
        >]
    {
        let worksheet = try Worksheet(csv: bytes)
        guard let header = worksheet.rows.first else {
            throw ImportError(location: "", detail: "the file is empty")
        }
        var columns: [REDCapColumn: Int] = [:]
        var unread: [Remark] = []
        for (index, heading) in header.cells.enumerated() {
            if let column = REDCapColumn(heading: heading), columns[column] == nil {
                columns[column] = index
            } else if worksheet.rows.dropFirst().contains(where: {
                $0.cells.indices.contains(index) && $0.cells[index].nonBlank != nil
            }) {
                unread.append(
                    Remark(
                        location: worksheet.location(row: header.number, column: index),
                        detail:
                            "the column \(heading.prefix(60)) is left out: a dictionary has no such column, "
                            + "or an earlier column has the same heading"))
            }
        }
        guard columns[.field] != nil, columns[.form] != nil, columns[.type] != nil else {
            throw ImportError(
                location: "line \(header.number)",
                detail: "a data dictionary has the columns Variable / Field Name, Form Name and Field Type")
        }
        var forms: [(name: String, fields: [REDCapRow])] = []
        var indices: [String: Int] = [:]
        var rowsWithoutName: [REDCapRow] = []
        for row in worksheet.rows.dropFirst() {
            let field = REDCapRow(row, columns)
            guard !field[.field].isEmpty else {
                if !field.isBlank { rowsWithoutName.append(field) }
                continue
            }
            guard !field[.type].isEmpty else {
                throw ImportError(location: field.location(.type), detail: "the field has no type")
            }
            if let index = indices[field[.form]] {
                forms[index].fields.append(field)
            } else {
                indices[field[.form]] = forms.count
                forms.append((field[.form], [field]))
            }
            guard forms.count <= QuestionnaireImport.maximumQuestionnaires else {
                throw ImportError(
                    location: "",
                    detail: "the dictionary has more than \(QuestionnaireImport.maximumQuestionnaires) forms")
            }
        }
        guard !forms.isEmpty else {
            throw ImportError(location: "line \(header.number)", detail: "the dictionary has no fields")
        }
        var codes = NameGenerator()
        // Rows that belong to no form are reported with the first one.
        let omitted = Dictionary(grouping: rowsWithoutName) { indices[$0[.form]] ?? 0 }
        let known = Set(forms.flatMap { form in form.fields.map { $0[.field] } })
        return forms.enumerated().map { index, form in
            let code = codes.makeName(form.name.isEmpty ? "form" : form.name)
            let remarks = (index == 0 ? unread : []) + (omitted[index] ?? []).map(\.omissionRemark)
            return Result { () throws(ImportError) in
                var reader = REDCapFormReader(
                    form: form.name, code: code, version: versions[code] ?? "1.0.0", known: known,
                    remarks: remarks)
                return try reader.readInstrument(form.fields)
            }
        }
    }
}
