import Foundation
import SaunterStatisticsFiles

/// Writes the derived formats of a dataset. Each file is made from the canonical files row by row. It therefore
/// contains the same values, and memory use does not grow with the number of rows.
struct DatasetFormatWriter {
    let snapshot: DatasetSnapshot
    let tables: [Table]
    let formats: Set<DatasetFormat>

    func write(into target: inout DatasetDirectory) throws {
        for format in DatasetFormat.allCases where formats.contains(format) {
            try write(format, into: &target)
        }
    }

    private func write(_ format: DatasetFormat, into target: inout DatasetDirectory) throws {
        if format == .fhir { return try writeResponses(into: &target) }
        let labels = CodeLabels(definitions: snapshot.definitions)
        var sources: [ExcelWorkbook.Source] = []
        for table in writtenTables(in: target) {
            // The client may have cancelled the export.
            try Task.checkCancellation()
            let name = table.table.name
            let description = StatisticsTable(table.table, in: tables, labels: labels)
            do {
                switch format {
                case .excel:
                    try target.write("excel/\(name).csv") {
                        try SpreadsheetText(table: table).write(into: &$0)
                    }
                    // Coordinates are in a separate file, so that it can be left out.
                    if !table.table.hasCoordinates { sources.append((description, table)) }
                case .fhir: continue
                case .spss, .stata:
                    guard !table.table.hasDirectIdentifier else { continue }
                    let statistics = StatisticsFile(
                        description, rows: table, for: format == .spss ? .spss : .stata, asOf: snapshot.asOf)
                    try target.write("\(format.rawValue)/\(name).\(format == .spss ? "sav" : "dta")") {
                        file in
                        try statistics.write { try file.write($0) }
                    }
                }
            } catch let error as StatisticsFileError {
                throw DatasetFault.format(error.path, error.reason)
            }
        }
        if format == .excel { try writeWorkbook(sources, into: &target) }
    }

    /// The workbook with all tables, and the descriptions of columns and codes for spreadsheets.
    private func writeWorkbook(_ sources: [ExcelWorkbook.Source], into target: inout DatasetDirectory) throws
    {
        let codebook = Codebook(
            tables: tables, definitions: snapshot.definitions, profile: snapshot.profile)
        let descriptions = [
            (name: "codebook", csv: codebook.csv),
            (name: "value_labels", csv: ValueLabels(snapshot.definitions).csv),
        ]
        for (name, csv) in descriptions {
            try target.write("excel/\(name).csv") { try $0.write(SpreadsheetText.copy(of: csv)) }
        }
        let path = "excel/dataset.xlsx"
        let workbook = ExcelWorkbook(
            path: path, tables: sources, descriptions: descriptions, asOf: snapshot.asOf)
        do {
            try target.writeFile(path) { try workbook.write(to: $0) }
        } catch let error as StatisticsFileError {
            throw DatasetFault.format(error.path, error.reason)
        }
    }

    /// Writes the FHIR bundle, if the profile includes single sheets.
    private func writeResponses(into target: inout DatasetDirectory) throws {
        func url(_ name: String) -> URL? {
            tables.first { $0.name == name }.map { target.staging.appending(path: $0.path(.csv)) }
        }
        guard let sheets = url("sheets"), let answers = url("answers"), let scores = url("scores") else {
            return
        }
        let bundle = ResponseBundle(
            sheets: sheets, answers: answers, scores: scores, texts: url("free_text"),
            definitions: snapshot.definitions)
        try target.write("fhir/questionnaire_responses.json") { try bundle.write(into: &$0) }
    }

    /// The tables whose canonical files exist. A wide table refers to the table with the reasons for its blank cells.
    private func writtenTables(in target: DatasetDirectory) -> [WrittenTable] {
        tables.compactMap { table in
            guard let file = target.files.first(where: { $0.path == table.path(.csv) }) else { return nil }
            return WrittenTable(
                table, rowCount: file.rows ?? 0, url: target.staging.appending(path: table.path(.csv)),
                reasons: table.reasonsTable(in: tables).map { target.staging.appending(path: $0.path(.csv)) })
        }
    }
}
