import SaunterCore

/// Imports XLSForms, as workbooks (.xlsx) or CSV files. It reads bytes and returns files, without any I/O.
package enum XLSFormImport {
    /// The sheets of a form. Other sheets of a workbook are ignored.
    private static let sheets: Set = ["survey", "choices", "settings"]

    /// Returns one element: the instrument of the form, or why it cannot be imported. It is an array because the other
    /// formats may contain several instruments.
    /// - Parameters:
    ///   - name: the name of the instrument if the form does not contain one; usually the file name.
    ///   - versions: the code of an instrument -> the version that it gets in place of 1.0.0.
    package static func read(
        _ bytes: [UInt8], name: String, versions: [String: String] = [:]
    ) throws(ImportError) -> [Result<ImportedInstrument, ImportError>] {
        let sheets: [Worksheet]
        var unread: [Remark] = []
        if bytes.starts(with: [0x50, 0x4B]) {
            let book = try Workbook(bytes, wanted: Self.sheets, normalise: XLSFormTable.normalise)
            sheets = book.sheets
            unread = book.remarks
        } else if bytes.starts(with: [0xD0, 0xCF, 0x11, 0xE0]) {
            throw ImportError(
                location: "",
                detail:
                    "the file is a workbook in the old format .xls, or has a password. Save it as .xlsx or CSV without password"
            )
        } else {
            sheets = try split(Worksheet(csv: bytes))
        }
        func sheet(_ wanted: String) -> XLSFormTable? {
            sheets.first { XLSFormTable.normalise($0.name ?? "") == wanted }.flatMap { XLSFormTable($0) }
        }
        guard let survey = sheet("survey") else {
            throw ImportError(location: "", detail: "there is no sheet \"survey\" with rows")
        }
        guard survey["type"] != nil else {
            throw ImportError(
                location: survey.worksheet.location(row: survey.header.number, column: nil),
                detail: "the sheet \"survey\" has no column \"type\"")
        }
        var reader = XLSFormReader(
            survey: survey, choices: sheet("choices"), settings: sheet("settings"), name: name)
        reader.remarks = unread
        let instrument = Result { () throws(ImportError) in try reader.readInstrument(versions) }
        return [instrument]
    }

    /// The sheets of one CSV file. A name in the first column begins a sheet. If the first row has a column `type`, the
    /// file is the sheet survey.
    private static func split(_ worksheet: Worksheet) -> [Worksheet] {
        if worksheet.rows.first?.cells.contains(where: { XLSFormTable.normalise($0) == "type" }) == true,
            worksheet.rows.first?.cells.first?.isEmpty == false
        {
            return [Worksheet(name: "survey", rows: worksheet.rows)]
        }
        var sheets: [Worksheet] = []
        for row in worksheet.rows {
            let rest = Array(row.cells.dropFirst())
            if let name = row.cells.first?.nonBlank { sheets.append(Worksheet(name: name, rows: [])) }
            guard !sheets.isEmpty, rest.contains(where: { !$0.isEmpty }) else { continue }
            // The empty first cell is kept, so that columns have the same letters as in the file.
            sheets[sheets.count - 1].rows.append(.init(number: row.number, cells: [""] + rest))
        }
        return sheets
    }
}
