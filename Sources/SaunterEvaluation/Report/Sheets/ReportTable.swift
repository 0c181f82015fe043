import SaunterCore

/// Reads a CSV table of answers for a report: the columns that `TableScoring` reads and, if they exist,
/// `participant_id`, `arm`, `study_day`, `seconds` (or `started_at` and `submitted_at`) and `sheet_id`. `SheetOrder`
/// sorts the sheets of a participant; the order of the rows has no effect on figures.
package struct ReportTable {
    private let keyed: KeyedItems
    private let index: QuestionnaireIndex
    private let blanks: Set<String>
    private let isBlinded: Bool

    /// - Parameters:
    ///   - blanks: cells that mean "no answer" in addition to the empty cell, for example `NA`.
    ///   - isBlinded: whether letters replace the codes of arms.
    package init(_ questionnaire: Questionnaire, blanks: Set<String> = [], isBlinded: Bool = false) {
        self.isBlinded = isBlinded
        keyed = KeyedItems(questionnaire.withoutRequired)
        index = QuestionnaireIndex(questionnaire.withoutRequired)
        self.blanks = blanks
    }

    /// - Throws: `CellFaults` with the first 1000 faults of cells, `SheetOrderFault` if the sheets of a participant
    ///   cannot be sorted, `CSVFault`, and errors of reading.
    package func report(_ reader: CSVReader) throws -> StudyReport {
        var reader = reader
        guard let header = try reader.next() else {
            throw CSVFault(line: 1, reason: "there is no header line")
        }
        let columns = try AnswerColumns(
            header: header.fields, questionnaire: keyed.questionnaire, blanks: blanks,
            optional: SheetColumns.names)
        let otherColumns = Set(columns.otherColumns)
        let sheetColumns = SheetColumns(
            header.fields.enumerated().filter { otherColumns.contains($0.offset) }.map {
                ($0.element, $0.offset)
            })
        var sheets: [ReportSheet] = []
        var faults: [CellFault] = []
        while let record = try reader.next() {
            guard record.fields.count == header.fields.count else {
                let detail = "expected \(header.fields.count) fields, found \(record.fields.count)"
                faults.append(CellFault(line: record.line, detail: detail))
                continue
            }
            var sheet = sheetColumns.sheet(
                record, isBlank: { $0.isEmpty || blanks.contains($0) }, faults: &faults)
            let answers = columns.answers(record, faults: &faults)
            do {
                keyed.storeNumbers(of: try AnswerSheet(answers: answers, of: index), in: &sheet)
                sheets.append(sheet)
            } catch {
                faults += error.list.map { columns.cellFault($0, in: record) }
            }
            if faults.count > 1000 { break }
        }
        guard faults.isEmpty else { throw CellFaults(Array(faults.prefix(1000))) }
        if let fault = sheets.byParticipant.flatMap({ SheetOrderFault($0) }) { throw fault }
        let arms = armNames(sheets)
        for index in sheets.indices { sheets[index].arm = sheets[index].arm.flatMap { arms[$0] } }
        return StudyReport(
            isBlinded: isBlinded, instruments: [try InstrumentReport(keyed, sheets, arms: arms.names)])
    }

    /// A table has no secret. Its arms are readable in the table, so only the report hides them.
    private func armNames(_ sheets: [ReportSheet]) -> ArmNames {
        let codes = Set(sheets.compactMap(\.arm)).sorted()
        guard isBlinded else { return ArmNames(codes) }
        let code = keyed.questionnaire.code
        return ArmNames(blinding: codes, of: code, secret: Array(code.utf8))
    }
}

/// The columns of a table that identify the sheet and state when it was answered.
private struct SheetColumns {
    static let names = [
        "participant_id", "arm", "study_day", "seconds", "started_at", "submitted_at", "sheet_id",
    ]

    private let indexes: [String: Int]

    init(_ columns: [(name: String, index: Int)]) {
        indexes = Dictionary(columns.map { ($0.name, $0.index) }, uniquingKeysWith: { first, _ in first })
    }

    func sheet(_ record: CSVRecord, isBlank: (String) -> Bool, faults: inout [CellFault]) -> ReportSheet {
        func cell(_ name: String) -> String? {
            indexes[name].map { record.fields[$0] }.flatMap { isBlank($0) ? nil : $0 }
        }
        func read<Value>(_ name: String, _ expected: String, _ body: (String) -> Value?) -> Value? {
            guard let cell = cell(name) else { return nil }
            if let value = body(cell) { return value }
            faults.append(
                CellFault(line: record.line, column: name, value: cell, detail: "expected \(expected)"))
            return nil
        }
        let began = read("started_at", "an instant such as 2026-11-21T08:00:00Z") { Instant($0) }
        let ended = read("submitted_at", "an instant such as 2026-11-21T08:00:00Z") { Instant($0) }
        let seconds = read("seconds", "a number of seconds") { text in
            Double(text).flatMap { $0.isFinite && $0 >= 0 ? $0 : nil }
        }
        return ReportSheet(
            id: cell("sheet_id") ?? "line \(record.line)", line: record.line,
            pseudonym: cell("participant_id"), arm: cell("arm"),
            day: read("study_day", "a whole number of days") { text in
                Int(text).flatMap { (-36_600...36_600).contains($0) ? $0 : nil }
            },
            seconds: seconds ?? ReportSheet.seconds(from: began, to: ended), startedAt: began,
            completedAt: ended)
    }
}
