import Foundation

/// The forms of a dataset beside its canonical files. Each is made of those files, row by row, so that it says the same and
/// needs no more memory for more rows.
struct DatasetForms {
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
        if format == .excel { try writeMeanings(into: &target) }
        let labels = CodeLabels(definitions: snapshot.definitions)
        for table in written(in: target) {
            // Whoever asked may have thought better of it.
            try Task.checkCancellation()
            let name = table.table.name
            switch format {
            case .excel:
                try target.write("excel/\(name).csv") { try SpreadsheetText(table: table).write(into: &$0) }
                let book = Workbook(table: table, labels: labels, asOf: snapshot.asOf)
                try target.adopt("excel/\(name).xlsx") { try book.write(to: $0) }
            case .fhir: continue
            case .spss, .stata:
                guard !table.table.isProse else { continue }
                let form = StatisticsFile(table, labels: labels, format: format, asOf: snapshot.asOf)
                try target.write("\(format.rawValue)/\(name).\(format == .spss ? "sav" : "dta")") {
                    try form.write(into: &$0)
                }
            }
        }
    }

    /// What columns and codes mean, for spreadsheets.
    private func writeMeanings(into target: inout DatasetDirectory) throws {
        let codebook = Codebook(
            tables: tables, definitions: snapshot.definitions, profile: snapshot.profile)
        for (name, csv) in [
            ("codebook", codebook.csv), ("value_labels", ValueLabels(snapshot.definitions).csv),
        ] {
            try target.write("excel/\(name).csv") { try $0.write(SpreadsheetText.copy(of: csv)) }
        }
    }

    /// Where the profile tells of single sheets.
    private func writeResponses(into target: inout DatasetDirectory) throws {
        func url(_ name: String) -> URL? {
            tables.first { $0.name == name }.map { target.staging.appending(path: $0.path(.csv)) }
        }
        guard let sheets = url("sheets"), let answers = url("answers") else { return }
        let bundle = ResponseBundle(
            sheets: sheets, answers: answers, texts: url("free_text"), definitions: snapshot.definitions)
        try target.write("fhir/questionnaire_responses.json") { try bundle.write(into: &$0) }
    }

    /// The tables as they stand in the folder; the wide ones know why they are blank.
    private func written(in target: DatasetDirectory) -> [WrittenTable] {
        tables.compactMap { table in
            guard let file = target.files.first(where: { $0.path == table.path(.csv) }) else { return nil }
            let mask = tables.first { $0.instrument != nil && $0.name == table.name + "_missing" }
            return WrittenTable(
                table, rows: file.rows ?? 0, url: target.staging.appending(path: table.path(.csv)),
                reasons: mask.map { target.staging.appending(path: $0.path(.csv)) })
        }
    }
}
