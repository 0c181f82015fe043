import SaunterCore

/// Scores a CSV table of answers, one sheet per row, without a database.
package struct TableScoring: Sendable {
    /// The result of a run.
    package struct Report: Sendable, Hashable {
        /// The number of rows that were scored and written.
        package var rows = 0
        /// The number of rows that were omitted, because a cell has a fault.
        package var omittedRows = 0
        /// The first 1000 faults.
        package var faults: [CellFault] = []
        /// The number of all faults.
        package var faultCount = 0
        /// The number of answers that were ignored because the conditions of the questionnaire hide their item.
        package var clearedCount = 0

        /// Adds the faults of an omitted row.
        mutating func omit(_ new: [CellFault]) {
            omittedRows += 1
            faultCount += new.count
            faults += new.prefix(max(0, 1000 - faults.count))
        }

        /// The report as JSON, for the command line.
        package var json: JSON {
            [
                "rows": .int(rows), "omitted_rows": .int(omittedRows), "faults": .int(faultCount),
                "cleared_answers": .int(clearedCount),
                "fault_list": .array(
                    faults.map { fault in
                        [
                            "line": .int(fault.line), "column": .optional(fault.column, JSON.string),
                            "value": .optional(fault.value, JSON.string), "detail": .string(fault.detail),
                        ]
                    }),
            ]
        }
    }

    private static let pieceSize = 1 << 16

    private let questionnaire: Questionnaire
    private let index: QuestionnaireIndex
    private let blanks: Set<String>

    /// All items are treated as optional. The scoring key decides how a missing answer affects a score.
    /// - Parameter blanks: cells that mean "no answer" in addition to the empty cell, for example `NA`.
    package init(_ questionnaire: Questionnaire, blanks: Set<String> = []) {
        self.questionnaire = questionnaire.withoutRequired
        index = QuestionnaireIndex(self.questionnaire)
        self.blanks = blanks
    }

    /// Reads all rows and writes the rows without a fault: the copied columns, and then the scores.
    /// - Parameter write: receives the output in pieces.
    /// - Throws: `CellFaults` for the header, `CSVFault` if the text is not CSV, and errors of reading and writing.
    package func run(_ reader: CSVReader, write: ([UInt8]) throws -> Void) throws -> Report {
        var reader = reader
        guard let header = try reader.next() else {
            throw CSVFault(line: 1, reason: "there is no header line")
        }
        let columns = try AnswerColumns(header: header.fields, questionnaire: questionnaire, blanks: blanks)
        let otherHeadings = columns.otherColumns.map { header.fields[$0] }
        var output = CSVText(header: otherHeadings + ScoreColumns.names(of: questionnaire))
        var report = Report()
        while let record = try reader.next() {
            guard record.fields.count == header.fields.count else {
                let detail = "expected \(header.fields.count) fields, found \(record.fields.count)"
                report.omit([CellFault(line: record.line, detail: detail)])
                continue
            }
            guard let scores = scores(record, columns, &report) else { continue }
            output.add(
                columns.otherColumns.map { record.fields[$0].isEmpty ? nil : record.fields[$0] }
                    + ScoreColumns.cells(scores, of: questionnaire))
            report.rows += 1
            if output.bytes.count >= Self.pieceSize { try write(output.take()) }
        }
        try write(output.take())
        return report
    }

    /// The scores of one record. Nil if a cell has a fault.
    private func scores(_ record: CSVRecord, _ columns: AnswerColumns, _ report: inout Report) -> [Score]? {
        var faults: [CellFault] = []
        let answers = columns.answers(record, faults: &faults)
        let covariates = columns.covariates(record, faults: &faults)
        do {
            let sheet = try AnswerSheet(answers: answers, of: index)
            guard faults.isEmpty else {
                report.omit(faults)
                return nil
            }
            report.clearedCount += sheet.cleared.count
            return index.scores(for: sheet, covariates: covariates)
        } catch {
            report.omit(faults + error.list.map { columns.cellFault($0, in: record) })
            return nil
        }
    }
}

extension Questionnaire {
    /// A copy in which no item is required.
    var withoutRequired: Questionnaire {
        func relaxed(_ items: [Item]) -> [Item] {
            items.map { item in
                var item = item
                item.required = false
                item.item = relaxed(item.item)
                return item
            }
        }
        var questionnaire = self
        questionnaire.item = relaxed(item)
        return questionnaire
    }
}
