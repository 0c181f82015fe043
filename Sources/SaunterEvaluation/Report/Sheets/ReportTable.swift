import SaunterCore

/// Reads a table of answers for a report: the columns that `TableScoring` reads, and beside them
/// `participant_id`, `study_day`, `seconds` (or `started_at` and `submitted_at`) and `sheet_id`, where they are.
package struct ReportTable {
    private let keyed: KeyedItems
    private let index: QuestionnaireIndex
    private let blanks: Set<String>

    /// - Parameter blanks: cells that mean a blank besides the empty one, such as `NA`.
    package init(_ questionnaire: Questionnaire, blanks: Set<String> = []) {
        keyed = KeyedItems(questionnaire.withoutRequired)
        index = QuestionnaireIndex(questionnaire.withoutRequired)
        self.blanks = blanks
    }

    /// - Throws: `CellFaults` with every cell at fault (the first thousand of them), `CSVFault`, and what reading
    ///   throws.
    package func report(_ reader: CSVReader) throws -> StudyReport {
        var reader = reader
        guard let header = try reader.next() else {
            throw CSVFault(line: 1, reason: "there is no header line")
        }
        let columns = try AnswerColumns(
            header: header.fields, questionnaire: keyed.questionnaire, blanks: blanks)
        let carried = Set(columns.carried)
        let notes = NoteColumns(
            header.fields.enumerated().filter { carried.contains($0.offset) }.map { ($0.element, $0.offset) })
        var sheets: [ReportSheet] = []
        var faults: [CellFault] = []
        while let record = try reader.next() {
            guard record.fields.count == header.fields.count else {
                let detail = "expected \(header.fields.count) fields, found \(record.fields.count)"
                faults.append(CellFault(line: record.line, column: nil, detail: detail))
                continue
            }
            var sheet = notes.sheet(record, isBlank: { $0.isEmpty || blanks.contains($0) }, faults: &faults)
            let answers = columns.answers(record, faults: &faults)
            do {
                keyed.number(try AnswerSheet(answers: answers, of: index), into: &sheet)
                sheets.append(sheet)
            } catch {
                faults += error.list.map { fault in
                    CellFault(
                        line: record.line, column: columns.column(of: fault.pointer, in: record),
                        detail: fault.detail)
                }
            }
            if faults.count > 1000 { break }
        }
        guard faults.isEmpty else { throw CellFaults(Array(faults.prefix(1000))) }
        return StudyReport(instruments: [InstrumentReport(keyed, sheets)])
    }
}

/// The columns of a table that say whose sheet it is and when it was filled in.
private struct NoteColumns {
    private let places: [String: Int]

    init(_ columns: [(name: String, place: Int)]) {
        places = Dictionary(columns.map { ($0.name, $0.place) }, uniquingKeysWith: { first, _ in first })
    }

    func sheet(_ record: CSVRecord, isBlank: (String) -> Bool, faults: inout [CellFault]) -> ReportSheet {
        func cell(_ name: String) -> String? {
            places[name].map { record.fields[$0] }.flatMap { isBlank($0) ? nil : $0 }
        }
        func read<Value>(_ name: String, _ expected: String, _ body: (String) -> Value?) -> Value? {
            guard let cell = cell(name) else { return nil }
            if let value = body(cell) { return value }
            faults.append(CellFault(line: record.line, column: name, detail: "expected \(expected)"))
            return nil
        }
        let began = read("started_at", "a moment such as 2026-11-21T08:00:00Z") { Instant($0) }
        let ended = read("submitted_at", "a moment such as 2026-11-21T08:00:00Z") { Instant($0) }
        let seconds = read("seconds", "a number of seconds") { text in
            Double(text).flatMap { $0.isFinite && $0 >= 0 ? $0 : nil }
        }
        return ReportSheet(
            id: cell("sheet_id") ?? "line \(record.line)", person: cell("participant_id"),
            day: read("study_day", "a whole number of days") { text in
                Int(text).flatMap { (-36_600...36_600).contains($0) ? $0 : nil }
            },
            seconds: seconds ?? ReportSheet.seconds(from: began, to: ended), completedAt: ended)
    }
}

extension ReportSheet {
    /// Nil when one is missing, or the clock went backwards.
    static func seconds(from began: Instant?, to ended: Instant?) -> Double? {
        guard let began, let ended, ended >= began else { return nil }
        return Double(ended.milliseconds(since: began)) / 1000
    }
}
